// Playwright's JSON report as our own data. Pure, and without trust: the spec runs in the process that is reported.

import { relative } from 'node:path';
import { oneLine } from '../base/cut-text.js';
import { asNumber, asRecord, asRecords, asText, type Loose, parseJson } from './loose-json.js';
import { splitError, withoutColours, withoutOurPaths } from './runner-text.js';
import type { SpecError, SpecStep, SpecTest } from './spec-run.js';

/** A test of the report; `errors` are its messages as the trace has them too. */
export interface ReportedTest extends Omit<SpecTest, 'page'> {
  errors: string[];
  /** Why the test is void, with the remedy; null when it is not. */
  whyVoid: string | null;
}

export interface Report {
  tests: ReportedTest[];
  /** What went wrong outside of tests: a file that could not be loaded, a test that is not allowed. */
  problems: string[];
}

export interface ReportFolders {
  /** Absolute, links resolved; e2e/ lies in it. */
  work: string;
  playwright: string;
}

const MOST_TESTS = 500;
const MOST_PROBLEMS = 10;

/** Null when the text is no report. */
export function readReport(text: string, folders: ReportFolders): Report | null {
  const report = asRecord(parseJson(text));
  if (!Array.isArray(report.suites)) return null;
  return {
    tests: testsOf(asRecords(report.suites), folders).slice(0, MOST_TESTS),
    problems: problemsOf(asRecords(report.errors), folders).slice(0, MOST_PROBLEMS),
  };
}

/** In the order of the files, which the report does not keep: it lists the tests of a file before its groups. */
function testsOf(suites: Loose[], folders: ReportFolders): ReportedTest[] {
  const found: ReportedTest[] = [];
  const visit = (suite: Loose) => {
    for (const spec of asRecords(suite.specs))
      for (const test of asRecords(spec.tests)) found.push(readTest(spec, test, folders));
    asRecords(suite.suites).forEach(visit);
  };
  suites.forEach(visit);
  return found.sort((a, b) => (a.file === b.file ? a.line - b.line : 0));
}

function readTest(spec: Loose, test: Loose, folders: ReportFolders): ReportedTest {
  const results = asRecords(test.results);
  const result = asRecord(results[0]);
  const title = asText(spec.title);
  const file = `e2e/${asText(spec.file)}`;
  const line = asNumber(spec.line);
  const why = whyVoid(asText(test.expectedStatus), results);
  const status = why === null ? statusOf(result) : 'void';
  const steps = asRecords(result.steps).map(step => readStep(step, status, folders));
  const errors = asRecords(result.errors);
  return {
    title,
    file,
    line,
    status,
    durationMs: asNumber(result.duration),
    steps,
    ...(errors.length === 0 ? {} : { error: readError(errors, steps, folders) }),
    errors: errors.map(error => withoutColours(asText(error.message))),
    attachments: asRecords(result.attachments)
      .map(({ name, path }) => ({ name: asText(name), path: asText(path) }))
      .filter(({ path }) => path !== ''),
    whyVoid: why === null ? null : `${file}:${line}: the test "${oneLine(title, 100)}" ${why}`,
  };
}

function statusOf({ status }: Loose): 'passed' | 'failed' | 'timedOut' {
  return status === 'passed' || status === 'timedOut' ? status : 'failed';
}

function whyVoid(expected: string, results: readonly Loose[]): string | null {
  const { status } = results[0] ?? {};
  if (status === 'skipped') return 'is skipped. Every test must run: remove test.skip and test.fixme.';
  if (expected !== 'passed') return 'is marked as one that should fail. Remove test.fail.';
  if (results.length !== 1)
    return `was run ${results.length} times. Each test is run once: remove the retries.`;
  return status === 'interrupted' ? 'was interrupted before its end.' : null;
}

function readStep(step: Loose, test: SpecTest['status'], folders: ReportFolders): SpecStep {
  const error = asText(asRecord(step.error).message);
  const durationMs = asNumber(step.duration);
  const base = { title: asText(step.title), durationMs: Math.max(durationMs, 0) };
  if (error !== '')
    return { ...base, status: 'failed', error: splitError(withoutOurPaths(error, folders)).message };
  // The report gives a step that never ended the duration -1.
  return { ...base, status: durationMs < 0 && test !== 'passed' ? 'interrupted' : 'passed' };
}

/** A test that ran out of time has two errors: that it did, and what it waited for; the second one has the place. */
function readError(errors: Loose[], steps: SpecStep[], folders: ReportFolders): SpecError {
  const texts = errors
    .map(error => splitError(withoutOurPaths(asText(error.message), folders)))
    .filter(({ message }, index) => index === 0 || !message.startsWith('Tearing down'));
  const message = texts.map(text => text.message).join('\n\n');
  const place = errors.map(({ location }) => placeOf(asRecord(location), folders)).find(Boolean);
  const snippet = texts.find(text => text.snippet !== undefined)?.snippet;
  const step = steps.find(({ status }) => status !== 'passed')?.title;
  return {
    message,
    ...(step === undefined ? {} : { step }),
    ...(place ? { location: place } : {}),
    ...(snippet === undefined ? {} : { snippet }),
    ...pick('locator', message, /^(?:Locator:|\s*- waiting for)\s*(.+)$/m),
    ...pick('expected', message, /^Expected[^:\n]*:\s*(.+)$/m),
    ...pick('received', message, /^Received[^:\n]*:\s*(.+)$/m),
  };
}

function pick<Key extends string>(key: Key, text: string, pattern: RegExp): { [K in Key]?: string } {
  const value = pattern.exec(text)?.[1]?.trim();
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: string };
}

function placeOf(location: Loose, { work }: ReportFolders): string | null {
  const file = asText(location.file);
  if (file === '') return null;
  const path = relative(work, file);
  return path.startsWith('..') ? null : `${path}:${asNumber(location.line)}`;
}

function problemsOf(errors: Loose[], folders: ReportFolders): string[] {
  const problems = errors.map(error => describeProblem(error, folders));
  // When a file cannot be loaded, the runner says in addition that it found no tests.
  const telling = problems.filter(problem => problem !== NO_TESTS);
  return telling.length > 0 ? telling : problems.slice(0, 1);
}

const NO_TESTS =
  "No test was found. Write at least one: test('…', async ({ page }) => { await test.step('…', async () => { … }); });";

function describeProblem(error: Loose, folders: ReportFolders): string {
  const { message } = splitError(withoutOurPaths(asText(error.message) || asText(error.value), folders));
  if (message.startsWith('Error: No tests found')) return NO_TESTS;
  const place = placeOf(asRecord(error.location), folders);
  const snippet = splitError(asText(error.snippet)).snippet;
  return [`${place ? `${place}: ` : ''}${message}`, remedyFor(message), snippet]
    .filter(part => part !== undefined && part !== '')
    .join('\n');
}

/** Node and Playwright tell the fault; what would work here only we know. */
function remedyFor(message: string): string {
  if (/Cannot find (module|package)/.test(message))
    return 'A spec may import @playwright/test and files under e2e/ by a relative path, nothing else.';
  if (message.includes("'.only'")) return 'Remove .only: every test of the file is run.';
  if (message.includes('duplicate test title')) return 'Give each test of a file a title of its own.';
  return '';
}
