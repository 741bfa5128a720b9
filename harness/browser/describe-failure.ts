// What a model is told of a run that was not green.

import { cutHead, cutMiddle, oneLine } from '../base/cut-text.js';
import { hasFailed, type SpecError, type SpecRun, type SpecTest } from './spec-run.js';

const MOST_BYTES = 6 * 1024;
const MESSAGE_BYTES = 1600;
const SNIPPET_BYTES = 800;
const LIST_BYTES = 500;
const REST = 'the rest is in the trace';

/** The first failure of a red run, or why a run is broken; empty for a green one. At most 6 KB. */
export function firstFailure(run: SpecRun): string {
  const test = run.tests.find(hasFailed);
  if (run.verdict !== 'red' || !test) return cutHead(run.problems.join('\n\n'), MOST_BYTES);
  // The page comes last: it is what may be cut.
  const parts = [...describeTest(test), describeOthers(run, test), ...run.problems, describePage(test)];
  return cutHead(parts.filter(part => part !== '').join('\n\n'), MOST_BYTES);
}

function describeTest(test: SpecTest): string[] {
  const { page, error } = test;
  return [
    `${describePlace(test)}\n${cutMiddle(error?.message ?? '(no message)', MESSAGE_BYTES, REST)}`,
    describeSource(error),
    list('Exceptions that the page did not catch', page.pageErrors),
    list('Requests of the page that failed', page.failedRequests),
    list('Console of the page', page.console),
    list('Dialogs that the page opened (dismissed, unless the spec answered them)', page.dialogs),
  ];
}

function describePage({ page }: SpecTest): string {
  if (page.text === undefined) return '';
  return page.text === ''
    ? 'The page had no content when the test failed.'
    : `The page when the test failed:\n${page.text}`;
}

function describePlace({ file, title, steps, error }: SpecTest): string {
  const where = `${file}, test "${oneLine(title, 120)}"`;
  const index = steps.findIndex(({ status }) => status !== 'passed');
  const step = steps[index];
  if (!step || error === undefined)
    return `${where}, outside of its steps (is there an expect or action without await?):`;
  const verb = step.status === 'interrupted' ? 'was not over in time' : 'failed';
  return `${where}, step ${index + 1} "${oneLine(step.title, 200)}" ${verb}:`;
}

function describeSource(error: SpecError | undefined): string {
  if (!error?.location) return '';
  return [`At ${error.location}`, cutHead(error.snippet ?? '', SNIPPET_BYTES)].filter(Boolean).join(':\n');
}

function describeOthers({ tests }: SpecRun, shown: SpecTest): string {
  const others = tests.filter(test => hasFailed(test) && test !== shown);
  return list(
    'Also red',
    others.map(({ file, title }) => `${file}: ${oneLine(title, 120)}`),
  );
}

function list(title: string, entries: readonly string[]): string {
  return entries.length === 0 ? '' : cutMiddle(`${title}:\n${entries.join('\n')}`, LIST_BYTES, REST);
}
