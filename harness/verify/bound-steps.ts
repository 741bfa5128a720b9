// Whether a spec proves its feature's own steps: one test, one test.step for each step, same text, same order. Pure.

import type { SpecRun } from '../browser/spec-run.js';
import type { Feature } from '../features/feature-list.js';

/** What is wrong with the steps of a green run, as a text for the model; null when each is bound. */
export function unboundSteps({ id, steps }: Feature, { tests }: Pick<SpecRun, 'tests'>): string | null {
  const [test] = tests;
  if (!test || tests.length > 1) {
    return `The spec of ${id} has ${tests.length} tests; write one test with the steps of the feature. ${wanted(steps)}`;
  }
  const found = test.steps.map(step => step.title);
  const problems = steps.flatMap((step, index) =>
    found[index] === step ? [] : [describe(step, index, found)],
  );
  if (found.length > steps.length) {
    const extra = found.slice(steps.length).map(title => `"${title}"`);
    problems.push(
      `The spec has ${extra.length} more test.step: ${extra.join(', ')}. Put such detail inside of a step.`,
    );
  }
  if (problems.length === 0) return null;
  return `The spec is green, but its test.steps are not the steps of ${id}, so it does not prove ${id}.\n${problems.map(each => `- ${each}`).join('\n')}\n${wanted(steps)}`;
}

function describe(step: string, index: number, found: readonly string[]): string {
  const instead = found[index];
  if (instead === undefined) return `Step ${index + 1} is missing: "${step}"`;
  return `Step ${index + 1} must be "${step}", the spec has "${instead}"`;
}

function wanted(steps: readonly string[]): string {
  const lines = steps.map(step => `  await test.step(${JSON.stringify(step)}, async () => { … });`);
  return `It needs, in this order and with these texts:\n${lines.join('\n')}`;
}
