// What a model is told, on runs made up here: bounds, order, and what counts as proof.

import { describe, expect, it } from 'vitest';
import { firstFailure } from '../../harness/browser/describe-failure.js';
import { failureKind } from '../../harness/browser/failure-kind.js';
import type { PageFacts, SpecRun, SpecTest } from '../../harness/browser/spec-run.js';

const PAGE: PageFacts = {
  console: [],
  pageErrors: [],
  failedRequests: [],
  dialogs: [],
  navigated: true,
  failed: 'expect',
};

function redTest(changes: Partial<SpecTest> = {}): SpecTest {
  return {
    title: 'counts',
    file: 'e2e/F-002.spec.ts',
    line: 3,
    status: 'failed',
    durationMs: 10,
    steps: [
      { title: 'Open', status: 'passed', durationMs: 1 },
      { title: 'Count', status: 'failed', durationMs: 1, error: 'no' },
    ],
    error: { message: 'Error: no', step: 'Count', location: 'e2e/F-002.spec.ts:7', snippet: '> 7 | code' },
    page: PAGE,
    attachments: [],
    ...changes,
  };
}

function redRun(tests: SpecTest[]): SpecRun {
  return { verdict: 'red', fault: null, tests, problems: [], ms: 1, artifacts: { consoleText: '' } };
}

describe('the text about a failure', () => {
  it('stays within 6 KB and keeps step, message and place when everything is too long', () => {
    const long = Array.from({ length: 50 }, (_, index) => `${index} ${'ü'.repeat(490)}`);
    const page = {
      ...PAGE,
      console: long,
      pageErrors: long,
      failedRequests: long,
      dialogs: long,
      text: 'x'.repeat(4096),
    };
    const error = { message: 'm'.repeat(20_000), location: 'e2e/a.ts:1', snippet: 's'.repeat(5000) };
    const text = firstFailure(redRun([redTest({ page, error, title: 't'.repeat(3000) })]));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(6 * 1024);
    expect(text).toContain('step 2 "Count" failed:');
    expect(text).toContain('At e2e/a.ts:1:\nsss');
    expect(text).toContain('The page when the test failed:\nxxx');
  });

  it('says of a step in which the time ran out that it was not over', () => {
    const steps = [{ title: 'Wait', status: 'interrupted' as const, durationMs: 0 }];
    expect(firstFailure(redRun([redTest({ steps, status: 'timedOut' })]))).toContain(
      'step 1 "Wait" was not over in time:',
    );
  });

  it('passes over tests before the failing one', () => {
    const run = redRun([redTest({ status: 'passed', title: 'fine' }), redTest({ title: 'bad' })]);
    expect(firstFailure(run)).toMatch(/^e2e\/F-002\.spec\.ts, test "bad"/);
  });
});

describe('a failure', () => {
  it.each([
    ['expect', true, 'assertion'],
    ['locator', true, 'assertion'],
    ['navigation', true, 'navigation'],
    ['navigation', false, 'navigation'],
    ['expect', false, 'navigation'],
    ['other', true, 'other'],
    [null, true, 'other'],
    [null, false, 'other'],
  ] as const)('of kind %s with a page seen before: %s is: %s', (failed, navigated, kind) => {
    expect(failureKind(redRun([redTest({ page: { ...PAGE, failed, navigated } })]))).toBe(kind);
  });

  it('is looked for in red runs only', () => {
    expect(failureKind({ ...redRun([redTest()]), verdict: 'broken' })).toBe('other');
  });
});
