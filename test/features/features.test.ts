import { describe, expect, it } from 'vitest';
import { contractHash } from '../../harness/features/contract.js';
import {
  type Feature,
  formatFeatureList,
  parseFeatureList,
  withPass,
} from '../../harness/features/feature-list.js';
import { legalChange } from '../../harness/features/legal-change.js';
import { nextFeature } from '../../harness/features/next-feature.js';
import type { FeatureState } from '../../harness/journal/run-state.js';

const feature = (id: string, more: Partial<Feature> = {}): Feature => ({
  id,
  category: 'functional',
  description: `what ${id} does`,
  steps: ['Open the start page', `See ${id}`],
  passes: false,
  ...more,
});
const LIST = [feature('F-001'), feature('F-002'), feature('F-003')];

describe('parseFeatureList', () => {
  it('reads back what formatFeatureList writes, also with a byte order mark', () => {
    expect(parseFeatureList(formatFeatureList(LIST))).toEqual({ ok: true, list: LIST });
    expect(parseFeatureList(`\uFEFF${formatFeatureList(LIST)}`)).toEqual({ ok: true, list: LIST });
  });

  it.each([
    ['not JSON at all', 'hello', /not JSON/],
    ['a trailing comma, with its line', '[\n{"id":"F-001",\n}\n]', /line 3/],
    ['an object', '{"features":[]}', /must be array/],
    ['an empty list', '[]', /fewer than 1/],
    [
      'a missing field',
      JSON.stringify([{ ...feature('F-001'), steps: undefined }]),
      /F-001.*required property 'steps'/,
    ],
    [
      'an unknown category',
      JSON.stringify([{ ...feature('F-001'), category: 'ui' }]),
      /category.*functional, style/,
    ],
    ['an unknown field', JSON.stringify([{ ...feature('F-001'), prio: 1 }]), /additional properties: prio/],
    ['an id with a slash', JSON.stringify([feature('../x')]), /field id/],
    ['ids that differ only in case', JSON.stringify([feature('f-001'), feature('F-001')]), /same id/],
    [
      'a dependency that is not there',
      JSON.stringify([feature('A', { depends_on: ['B'] })]),
      /B, which is not in the list/,
    ],
    [
      'dependencies in a circle',
      JSON.stringify([feature('A', { depends_on: ['B'] }), feature('B', { depends_on: ['A'] })]),
      /A -> B -> A/,
    ],
    ['a polluting key', '[{"__proto__":{"x":1},"id":"A"}]', /required|additional/],
  ])('refuses %s with a sentence', (_, text, sentence) => {
    const parsed = parseFeatureList(text);
    expect(parsed.ok).toBe(false);
    expect(!parsed.ok && parsed.problems.join('\n')).toMatch(sentence);
  });
});

describe('the contract', () => {
  it('does not see passes, layout and key order', () => {
    const reordered = LIST.map(({ id, steps, description, category }) => ({
      steps,
      passes: true,
      description,
      category,
      id,
    }));
    expect(contractHash(reordered)).toBe(contractHash(LIST));
  });

  it.each([
    ['a step', [{ ...feature('F-001'), steps: ['Open the start page'] }, ...LIST.slice(1)]],
    ['a description', [{ ...feature('F-001'), description: 'less' }, ...LIST.slice(1)]],
    ['a dependency', [{ ...feature('F-001'), depends_on: ['F-002'] }, ...LIST.slice(1)]],
    ['the order', [...LIST].reverse()],
    ['the number', LIST.slice(1)],
  ])('sees a change of %s', (_, changed) => {
    expect(contractHash(changed)).not.toBe(contractHash(LIST));
  });
});

describe('legalChange', () => {
  it('takes one flip from false to true', () => {
    expect(legalChange(LIST, withPass(LIST, 'F-002'))).toEqual({
      legal: true,
      flipped: 'F-002',
      sentences: ['passes of F-002 was set to true'],
    });
  });

  it('takes no change', () => {
    expect(legalChange(LIST, LIST)).toEqual({ legal: true, flipped: null, sentences: [] });
  });

  it.each([
    ['two flips at once', LIST, withPass(withPass(LIST, 'F-001'), 'F-002'), /F-001 was set to true/],
    ['a flip back', withPass(LIST, 'F-001'), LIST, /F-001 was set to false/],
    [
      'a flip beside a softened step',
      LIST,
      withPass([{ ...feature('F-001'), steps: ['x'] }, ...LIST.slice(1)], 'F-002'),
      /steps of F-001/,
    ],
    ['a removed entry', LIST, LIST.slice(1), /F-001 was removed/],
    ['an added entry', LIST, [...LIST, feature('F-009')], /F-009 was added/],
    ['another order', LIST, [...LIST].reverse(), /another order/],
  ])('refuses %s and says what it is', (_, before, after, sentence) => {
    const change = legalChange(before, after);
    expect(change).toMatchObject({ legal: false, flipped: null });
    expect(change.sentences.join('; ')).toMatch(sentence);
  });
});

describe('nextFeature', () => {
  const state = (more: Partial<FeatureState>): FeatureState => ({
    passed: false,
    passedAt: 0,
    attempts: 0,
    setAside: false,
    blockedBy: [],
    declines: 0,
    history: [],
    ...more,
  });
  const next = (list: Feature[], states: [string, Partial<FeatureState>][] = []) =>
    nextFeature(list, new Map(states.map(([id, more]) => [id, state(more)])), 3)?.id ?? null;

  it('is the first failing one', () => {
    expect(next(LIST)).toBe('F-001');
    expect(next(withPass(LIST, 'F-001'))).toBe('F-002');
  });

  it('waits for what a feature depends on', () => {
    const list = [feature('A', { depends_on: ['B'] }), feature('B')];
    expect(next(list)).toBe('B');
    expect(next(withPass(list, 'B'))).toBe('A');
  });

  it('puts a declined one behind the others while its blockers fail', () => {
    expect(next(LIST, [['F-001', { blockedBy: ['F-002'] }]])).toBe('F-002');
    expect(next(withPass(LIST, 'F-002'), [['F-001', { blockedBy: ['F-002'] }]])).toBe('F-001');
  });

  it('takes one of two that block each other rather than none', () => {
    const two = LIST.slice(0, 2);
    expect(
      next(two, [
        ['F-001', { blockedBy: ['F-002'] }],
        ['F-002', { blockedBy: ['F-001'] }],
      ]),
    ).toBe('F-001');
  });

  it('takes those set aside last, once more each, then none', () => {
    const aside = { setAside: true, attempts: 3 };
    expect(next(LIST, [['F-001', aside]])).toBe('F-002');
    const left = withPass(withPass(LIST, 'F-002'), 'F-003') as Feature[];
    expect(next(left, [['F-001', aside]])).toBe('F-001');
    expect(next(left, [['F-001', { setAside: true, attempts: 4 }]])).toBeNull();
  });

  it('is none when all that fail wait for one that was given up', () => {
    const list = [feature('A'), feature('B', { depends_on: ['A'] })];
    expect(next(list, [['A', { setAside: true, attempts: 4 }]])).toBeNull();
  });
});
