// Reports as a spec could forge them; those of the real runner are read in spec-runner.test.ts.

import { describe, expect, it } from 'vitest';
import { readReport } from '../../harness/browser/read-report.js';
import { splitError } from '../../harness/browser/runner-text.js';

const FOLDERS = { work: '/room/spec-1', playwright: '/opt/playwright' };

function reportOf(test: unknown, errors: unknown = []): string {
  return JSON.stringify({
    suites: [
      { specs: [], suites: [{ specs: [{ title: 't', file: 'F-1.spec.ts', line: 3, tests: [test] }] }] },
    ],
    errors,
  });
}

describe('a report', () => {
  it('is none when it is no JSON or has no suites', () => {
    for (const text of ['', '{', '[]', 'null', '{}', '{"suites":{}}'])
      expect(readReport(text, FOLDERS)).toBeNull();
  });

  it('of any shape never throws', () => {
    const odd = [5, null, 'x', {}, { specs: 'x' }, { specs: [null, { tests: [7, { results: {} }] }] }];
    const report = readReport(JSON.stringify({ suites: odd, errors: [null, 3, { message: 7 }] }), FOLDERS);
    expect(report?.tests.map(({ status }) => status)).toEqual(['void', 'void']);
  });

  it('has no passed test but one that should pass, was run once and passed', () => {
    const statusOf = (expectedStatus: string, ...statuses: string[]) => {
      const results = statuses.map(status => ({ status }));
      return readReport(reportOf({ expectedStatus, results }), FOLDERS)?.tests[0]?.status;
    };
    expect(statusOf('passed', 'passed')).toBe('passed');
    expect(statusOf('passed', 'failed')).toBe('failed');
    expect(statusOf('passed', 'something new')).toBe('failed');
    expect(statusOf('passed', 'timedOut')).toBe('timedOut');
    expect(statusOf('passed')).toBe('void');
    expect(statusOf('passed', 'skipped')).toBe('void');
    expect(statusOf('passed', 'interrupted')).toBe('void');
    expect(statusOf('passed', 'failed', 'passed')).toBe('void');
    expect(statusOf('failed', 'failed')).toBe('void');
    expect(statusOf('failed', 'passed')).toBe('void');
  });

  it('tells of a step in which the time ran out', () => {
    const errors = [
      { message: '\x1b[31mTest timeout of 1500ms exceeded.\x1b[39m' },
      {
        message:
          "Error: locator.click: Test timeout of 1500ms exceeded.\nCall log:\n  - waiting for getByText('zz')\n\n\n  1 | a\n> 2 | b\n    | ^\n    at /room/spec-1/e2e/F-1.spec.ts:2:5",
        location: { file: '/room/spec-1/e2e/F-1.spec.ts', line: 2 },
      },
      { message: 'Tearing down "context" exceeded the test timeout of 1500ms.' },
    ];
    const steps = [
      { title: 'Open', duration: 5 },
      { title: 'Wait', duration: -1 },
    ];
    const results = [{ status: 'timedOut', errors, steps }];
    const test = readReport(reportOf({ expectedStatus: 'passed', results }), FOLDERS)?.tests[0];
    expect(test?.steps[1]).toEqual({ title: 'Wait', status: 'interrupted', durationMs: 0 });
    expect(test?.error).toEqual({
      message:
        "Test timeout of 1500ms exceeded.\n\nError: locator.click: Test timeout of 1500ms exceeded.\nCall log:\n  - waiting for getByText('zz')",
      step: 'Wait',
      location: 'e2e/F-1.spec.ts:2',
      snippet: '  1 | a\n> 2 | b\n    | ^',
      locator: "getByText('zz')",
    });
  });

  it('names no place outside of the work folder', () => {
    const errors = [{ message: 'Error: x', location: { file: '/etc/passwd', line: 1 } }];
    const results = [{ status: 'failed', errors }];
    expect(readReport(reportOf({ expectedStatus: 'passed', results }), FOLDERS)?.tests[0]?.error).toEqual({
      message: 'Error: x',
    });
  });
});

describe('the text of an error', () => {
  it('loses its stack, also one inside of the message', () => {
    const text =
      'Error: locator.evaluate: Error: x\n    at eval (eval at evaluate (:370:30), <anonymous>:2:11)\n    at /room/e2e/a.spec.ts:11:101';
    expect(splitError(text)).toEqual({ message: 'Error: locator.evaluate: Error: x' });
  });

  it('keeps a difference that has bars in it', () => {
    const text = 'Error: no\n\n- | a\n+ | b\n\n  1 | code\n> 2 | more\n    | ^';
    expect(splitError(text)).toEqual({
      message: 'Error: no\n\n- | a\n+ | b',
      snippet: '  1 | code\n> 2 | more\n    | ^',
    });
  });
});
