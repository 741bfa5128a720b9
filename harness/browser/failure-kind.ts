// Whether a red run says something about the app, or only that it was not there.

import { hasFailed, type SpecRun } from './spec-run.js';

/**
 * `assertion`: an expectation or an action through a locator failed after a page of the app had come. `navigation`: no
 * page came, or a later one did not. `other`: an error of the spec itself, time that ran out, a browser that died.
 * Only the first proves something. For a run that is not red: `other`.
 */
export function failureKind(run: SpecRun): 'assertion' | 'navigation' | 'other' {
  const test = run.verdict === 'red' ? run.tests.find(hasFailed) : undefined;
  if (!test || test.page.failed === null) return 'other';
  if (test.page.failed === 'navigation' || !test.page.navigated) return 'navigation';
  return test.page.failed === 'other' ? 'other' : 'assertion';
}
