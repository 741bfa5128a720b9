// Runs Playwright specs of the app with our runner, our configuration and the browser given, and tells what was seen.

import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { cutTail } from '../base/cut-text.js';
import type { ExecResult, Room } from '../workspace/room.js';
import type { FoundBrowser } from './find-browser.js';
import { playwrightPackage } from './playwright-package.js';
import { type Report, type ReportedTest, type ReportFolders, readReport } from './read-report.js';
import { readTrace } from './read-trace.js';
import { OUTPUT_FOLDER, REPORT_FILE, type SpecLimits } from './runner-config.js';
import { withoutColours, withoutOurPaths } from './runner-text.js';
import { CONFIG_FILE, makeSpecFolder } from './spec-folder.js';
import { hasFailed, type SpecArtifacts, type SpecRun, type SpecTest, tellingTest } from './spec-run.js';

export interface SpecRequest {
  /** The runner, its browser and the specs run in here, with the room's environment. */
  room: Room;
  /** Empty or absent; holds the trace and screenshots afterwards, which the caller takes what it wants from. */
  workFolder: string;
  specs: {
    e2eFolder: string;
    /** Relative to `e2eFolder`. A file that cannot be loaded keeps all of them from running. */
    files: readonly string[];
  };
  /** Without a slash at the end. */
  baseUrl: string;
  browser: FoundBrowser;
  limits: SpecLimits;
  signal: AbortSignal;
}

/** What is kept of the runner's own output, for a runner that dies without a report. */
const OUTPUT_BYTES = 64 * 1024;
const OUTPUT_SHOWN_BYTES = 1500;
const MOST_REPORT_BYTES = 32 * 1024 * 1024;

export async function runSpecs(request: SpecRequest): Promise<SpecRun> {
  const { room, specs, baseUrl, browser, limits, signal } = request;
  const made = makeSpecFolder({
    workFolder: request.workFolder,
    ...specs,
    baseUrl,
    executablePath: browser.executablePath,
    limits,
  });
  if (!made.ok) return broken('spec', [made.problem], 0);

  const playwright = playwrightPackage();
  const folders: ReportFolders = { work: made.workFolder, playwright: playwright.folder };
  const result = await room.exec(
    { argv: [process.execPath, playwright.cli, 'test', '--config', CONFIG_FILE], cwd: folders.work },
    { timeoutMs: limits.totalMs, maxOutputBytes: OUTPUT_BYTES, signal },
  );
  if (signal.aborted)
    return broken('interrupted', ['The spec run was interrupted before its end.'], result.ms);
  if (result.timedOut) return broken('time', [tooSlow(limits)], result.ms);
  const text = readOwnFile(join(folders.work, REPORT_FILE), folders.work);
  const report = text === null ? null : readReport(text, folders);
  if (report === null) return broken('runner', [describeDeath(result, folders)], result.ms);
  const tests = await Promise.all(report.tests.map(test => withPageFacts(test, { folders, baseUrl })));
  return judge(report, tests, result.ms);
}

/** Red wins over all else: a test that failed is told even when others could not count. */
function judge(report: Report, tests: SpecTest[], ms: number): SpecRun {
  const voids = report.tests.flatMap(({ whyVoid }) => whyVoid ?? []);
  const ours = tests.flatMap(test => faultOfRunner(test) ?? []);
  const problems = [...new Set([...ours, ...report.problems, ...voids])];
  const run = { tests, problems, ms, artifacts: artifactsOf(tellingTest(tests)) };
  if (ours.length > 0) return { ...run, verdict: 'broken', fault: 'runner' };
  if (tests.some(hasFailed)) return { ...run, verdict: 'red', fault: null };
  if (problems.length > 0) return { ...run, verdict: 'broken', fault: 'spec' };
  if (tests.length === 0) return broken('spec', ['No test was run.'], ms);
  return { ...run, verdict: 'green', fault: null };
}

/** A test that never began because of the browser or of its process; the report has it as one that failed. */
function faultOfRunner({ error, file }: SpecTest): string | null {
  const message = error?.message ?? '';
  if (message.includes('browserType.launch:')) return `The browser did not start: ${message}`;
  if (message.includes('worker process exited unexpectedly'))
    return `${file}: the process that runs the test ended in the middle of it. A spec must not end its process.`;
  return null;
}

async function withPageFacts(
  { errors, whyVoid: _, ...test }: ReportedTest,
  { folders, baseUrl }: { folders: ReportFolders; baseUrl: string },
): Promise<SpecTest> {
  // The report names the files, and a spec can name any file: what is not in the runner's output is not ours to read.
  const output = join(folders.work, OUTPUT_FOLDER);
  const attachments = test.attachments.filter(({ path }) => isOwnFile(path, output));
  const trace = attachments.find(({ name }) => name === 'trace')?.path ?? '';
  return { ...test, attachments, page: await readTrace(trace, { baseUrl, errors }) };
}

function artifactsOf(test: SpecTest | undefined): SpecArtifacts {
  const pathOf = (wanted: string) => test?.attachments.find(({ name }) => name === wanted)?.path;
  const page = test?.page;
  return {
    tracePath: pathOf('trace'),
    screenshotPath: pathOf('screenshot'),
    errorContextPath: pathOf('error-context'),
    consoleText: [
      ...(page?.console ?? []),
      ...(page?.pageErrors ?? []).map(error => `uncaught: ${error}`),
      ...(page?.dialogs ?? []).map(dialog => `dialog: ${dialog}`),
      ...(page?.failedRequests ?? []).map(request => `request: ${request}`),
    ].join('\n'),
  };
}

function broken(fault: SpecRun['fault'], problems: string[], ms: number): SpecRun {
  return { verdict: 'broken', fault, tests: [], problems, ms, artifacts: { consoleText: '' } };
}

function tooSlow({ totalMs }: SpecLimits): string {
  return `The spec run was not over after ${Math.round(totalMs / 1000)} s and was ended. Look for a loop that never ends and for waits that add up.`;
}

function describeDeath({ code, output }: ExecResult, folders: ReportFolders): string {
  const tail = cutTail(withoutOurPaths(withoutColours(output), folders).trim(), OUTPUT_SHOWN_BYTES);
  return `The spec runner left no report (${code === null ? 'it was killed' : `exit code ${code}`}). Its last output:\n${tail || '(none)'}`;
}

function readOwnFile(path: string, folder: string): string | null {
  return isOwnFile(path, folder) && lstatSync(path).size <= MOST_REPORT_BYTES
    ? readFileSync(path, 'utf8')
    : null;
}

/** A regular file that really lies in the folder, not behind a link. */
function isOwnFile(path: string, folder: string): boolean {
  try {
    return lstatSync(path).isFile() && realpathSync(path).startsWith(folder + sep);
  } catch {
    return false;
  }
}
