// The first kind of proof: the feature's Playwright spec, run by our runner in a real browser.

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstFailure } from '../browser/describe-failure.js';
import { failureKind } from '../browser/failure-kind.js';
import type { FoundBrowser } from '../browser/find-browser.js';
import type { SpecLimits } from '../browser/runner-config.js';
import { hasFailed, type SpecRun, tellingTest } from '../browser/spec-run.js';
import { runSpecs } from '../browser/spec-runner.js';
import type { Feature } from '../features/feature-list.js';
import { E2E_FOLDER } from '../workspace/app.js';
import { unboundSteps } from './bound-steps.js';
import type { Proof, ProofRun, ProofTarget } from './proof.js';

export interface SpecProofOptions {
  browser: FoundBrowser;
}

/** A feature's scenario may be long; a single look at the page may not. */
const APP_LIMITS: SpecLimits = {
  testMs: 60_000,
  expectMs: 5_000,
  actionMs: 10_000,
  navigationMs: 15_000,
  totalMs: 120_000,
};

/** An empty page has nothing to wait for: what is missing now stays missing. */
const BLANK_LIMITS: SpecLimits = { ...APP_LIMITS, expectMs: 1_500, actionMs: 1_500 };

export function specProof({ browser }: SpecProofOptions): Proof {
  return {
    missing: (feature, root) => {
      const file = specFile(feature.id);
      if (existsSync(join(root, file))) return null;
      return `There is no spec ${file}. Write it: one test with one test.step for each step of ${feature.id}, same text, same order; then call verify_feature again.`;
    },
    file: feature => specFile(feature.id),
    hash: (_, root) => hashFolder(join(root, E2E_FOLDER)),
    run: (feature, target) => runSpec(feature, target, browser),
  };
}

/** Path of a feature's spec, relative to the app. */
export function specFile(id: string): string {
  return `${E2E_FOLDER}/${id}.spec.ts`;
}

async function runSpec(feature: Feature, target: ProofTarget, browser: FoundBrowser): Promise<ProofRun> {
  const workFolder = mkdtempSync(join(target.room.scratch, 'spec-'));
  const run = await runSpecs({
    room: target.room,
    workFolder,
    specs: { e2eFolder: join(target.root, E2E_FOLDER), files: [`${feature.id}.spec.ts`] },
    baseUrl: target.baseUrl,
    browser,
    limits: target.blank ? BLANK_LIMITS : APP_LIMITS,
    signal: target.signal,
  });
  const unbound = run.verdict === 'green' ? unboundSteps(feature, run) : null;
  return {
    verdict: unbound === null ? verdictOf(run, target.blank) : 'broken',
    summary: unbound === null ? summaryOf(run) : (unbound.split('\n', 1)[0] ?? unbound),
    report: unbound ?? (run.verdict === 'green' ? 'The spec is green.' : firstFailure(run)),
    files: evidenceFiles(run, workFolder),
    details: detailsOf(run),
    ms: run.ms,
  };
}

/**
 * On the app every failed step is red, whatever its kind. On the empty page red must mean that the page lacked what the
 * spec looks for: a page that never came proves nothing.
 */
function verdictOf(run: SpecRun, blank: boolean): ProofRun['verdict'] {
  if (run.verdict === 'green') return 'green';
  if (run.verdict === 'red') return blank && failureKind(run) !== 'assertion' ? 'inconclusive' : 'red';
  return run.fault === 'runner' || run.fault === 'interrupted' ? 'inconclusive' : 'broken';
}

function summaryOf(run: SpecRun): string {
  if (run.verdict === 'green') return `The spec is green in ${(run.ms / 1000).toFixed(1)} s.`;
  const failed = run.tests.find(hasFailed);
  if (!failed) return run.problems[0] ?? 'The spec did not run.';
  const step = failed.error?.step ? ` in step "${failed.error.step}"` : '';
  const message = failed.error?.message.split('\n', 1)[0] ?? failed.status;
  const values = failed.error?.expected
    ? ` (expected ${failed.error.expected}, received ${failed.error.received ?? 'nothing'})`
    : '';
  const waiting = /waiting for .*/.exec(failed.error?.message ?? '')?.[0];
  const missing = values === '' && waiting !== undefined && !message.includes(waiting) ? ` (${waiting})` : '';
  return `Red${step}: ${message}${values}${missing}`;
}

function evidenceFiles(run: SpecRun, workFolder: string): ProofRun['files'] {
  const { tracePath, screenshotPath, consoleText } = run.artifacts;
  const consolePath = join(workFolder, 'console.json');
  const page = tellingTest(run.tests)?.page;
  writeFileSync(consolePath, `${JSON.stringify({ ...page, text: consoleText }, null, 2)}\n`);
  return [
    ...(tracePath ? [{ name: 'trace.zip', path: tracePath }] : []),
    ...(screenshotPath ? [{ name: 'final.png', path: screenshotPath }] : []),
    { name: 'console.json', path: consolePath },
  ];
}

function detailsOf(run: SpecRun): Record<string, unknown> {
  return {
    kind: 'spec',
    tests: run.tests.map(({ title, file, status, durationMs, steps }) => ({
      title,
      file,
      status,
      durationMs,
      steps,
    })),
  };
}

/** SHA-256 over every file below e2e/, since a spec may load any of them: names and contents, in a fixed order. */
function hashFolder(folder: string): string {
  const hash = createHash('sha256');
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : [];
  for (const name of names) {
    const path = join(folder, name);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    const content = readFileSync(path);
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
