import { describe, expect, it } from 'vitest';
import type { SpecTest } from '../../harness/browser/spec-run.js';
import { unboundSteps } from '../../harness/verify/bound-steps.js';
import { THREE_FEATURES } from '../support/temp-app.js';

const feature = {
  ...THREE_FEATURES[0],
  id: 'F-001',
  steps: ['Open the board', 'Add a card', 'See the card'],
} as (typeof THREE_FEATURES)[number];

const testWith = (...titles: string[]): SpecTest => ({
  title: 't',
  file: 'e2e/F-001.spec.ts',
  line: 1,
  status: 'passed',
  durationMs: 1,
  steps: titles.map(title => ({ title, status: 'passed', durationMs: 1 })),
  page: { console: [], pageErrors: [], failedRequests: [], dialogs: [], navigated: true, failed: null },
  attachments: [],
});

describe('the steps of a green spec', () => {
  it('prove the feature when they are its own, in order', () => {
    expect(
      unboundSteps(feature, { tests: [testWith('Open the board', 'Add a card', 'See the card')] }),
    ).toBeNull();
  });

  it.each<[string, string[], RegExp]>([
    [
      'one is left out',
      ['Open the board', 'See the card'],
      /Step 2 must be "Add a card", the spec has "See the card"\n- Step 3 is missing: "See the card"/,
    ],
    [
      'one is reworded',
      ['Open the board', 'Add the card', 'See the card'],
      /Step 2 must be "Add a card", the spec has "Add the card"/,
    ],
    [
      'they are in another order',
      ['Add a card', 'Open the board', 'See the card'],
      /Step 1 must be "Open the board"/,
    ],
    ['there are none', [], /Step 1 is missing: "Open the board"/],
    [
      'there is one more',
      ['Open the board', 'Add a card', 'See the card', 'And more'],
      /1 more test\.step: "And more"/,
    ],
  ])('are refused when %s, with what is needed', (_, titles, sentence) => {
    const text = unboundSteps(feature, { tests: [testWith(...titles)] });
    expect(text).toMatch(sentence);
    expect(text).toContain('  await test.step("Open the board", async () => { … });');
  });

  it('are refused when they are spread over several tests', () => {
    expect(
      unboundSteps(feature, { tests: [testWith('Open the board'), testWith('Add a card', 'See the card')] }),
    ).toContain('has 2 tests');
  });
});
