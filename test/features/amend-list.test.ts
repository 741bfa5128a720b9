import { describe, expect, it } from 'vitest';
import { addFeature, amendList, dropFeature, editFeature } from '../../harness/features/amend-list.js';
import type { Feature } from '../../harness/features/feature-list.js';

const feature = (id: string, more: Partial<Feature> = {}): Feature => ({
  id,
  category: 'functional',
  description: `What ${id} does`,
  steps: ['Open the start page', `See ${id}`],
  passes: false,
  ...more,
});
const LIST = [feature('F-001', { passes: true }), feature('F-002', { passes: true }), feature('F-003')];

describe("a person's list", () => {
  it('keeps what was verified where an entry says the same, and takes no word for the rest', () => {
    const wanted = [
      feature('F-003', { passes: true }),
      feature('F-001'),
      feature('F-002', { steps: ['Open the start page', 'See more'], passes: true }),
      feature('F-004', { passes: true }),
    ];
    const amended = amendList(LIST, wanted);
    expect(amended).toMatchObject({
      ok: true,
      changes: [
        { id: 'F-002', change: 'changed', proveAgain: true },
        { id: 'F-004', change: 'added', proveAgain: false },
      ],
      sentences: [
        'F-004 was added',
        'the steps of F-002 were changed',
        'the entries were put in another order',
        'F-002 must be proved again',
      ],
    });
    expect(amended.ok && amended.list.map(({ id, passes }) => `${id} ${passes}`)).toEqual([
      'F-003 false',
      'F-001 true',
      'F-002 false',
      'F-004 false',
    ]);
  });

  it.each<[what: string, change: Partial<Feature>, stays: boolean]>([
    ['another description', { description: 'Something else' }, false],
    ['other steps', { steps: ['See it'] }, false],
    ['another category', { category: 'style' }, true],
    ['another dependency', { depends_on: ['F-002'] }, true],
  ])('with %s: does a pass stay?', (_, change, stays) => {
    const amended = amendList(LIST, [feature('F-001', change), ...LIST.slice(1)]);
    expect(amended.ok && amended.list[0]?.passes).toBe(stays);
    expect(amended.ok && amended.changes[0]?.proveAgain).toBe(!stays);
  });

  it('that differs by nothing but passes and layout changes nothing', () => {
    const flipped = LIST.map(entry => ({ ...entry, passes: !entry.passes, depends_on: [] }));
    expect(amendList(LIST, flipped)).toMatchObject({ ok: true, changes: [], sentences: [] });
  });

  it('that cannot be one is refused with what is wrong', () => {
    const amended = amendList(LIST, [feature('F-001', { depends_on: ['F-009'] }), feature('f-001')]);
    expect(amended).toEqual({
      ok: false,
      problems: [
        'Entries 1 and 2 have the same id f-001.',
        'F-001 depends on F-009, which is not in the list.',
      ],
    });
  });
});

describe('one entry', () => {
  it('is added with the next id that was never used, at the end or before another one', () => {
    const fields = { description: 'New', steps: ['See it'] };
    expect(addFeature(LIST, fields, { before: null, used: new Set(['F-011']) })).toMatchObject({
      ok: true,
      id: 'F-012',
      changes: [{ id: 'F-012', change: 'added', proveAgain: false }],
      sentences: ['F-012 was added'],
    });
    const first = addFeature(LIST, fields, { before: 'F-001', used: new Set() });
    expect(first.ok && first.list.map(entry => entry.id)).toEqual(['F-004', 'F-001', 'F-002', 'F-003']);
  });

  it.each([
    [['login-1', 'login-2'], 'login-003'],
    [['F-099'], 'F-100'],
    [['start'], 'F-001'],
  ])('after %j is called %s', (ids, id) => {
    const list = ids.map(each => feature(each));
    expect(addFeature(list, { description: 'x', steps: ['y'] }, { before: null, used: new Set() }).id).toBe(
      id,
    );
  });

  it('is edited in its place, or moved', () => {
    const edited = editFeature(LIST, 'F-001', { description: 'Other' }, null);
    expect(edited.ok && edited.list.map(entry => entry.description)).toEqual([
      'Other',
      'What F-002 does',
      'What F-003 does',
    ]);
    const moved = editFeature(LIST, 'F-003', {}, 'F-001');
    expect(moved).toMatchObject({
      ok: true,
      sentences: ['the entries were put in another order'],
      changes: [],
    });
  });

  it('loses its dependencies when none are named', () => {
    const list = [feature('F-001'), feature('F-002', { depends_on: ['F-001'] })];
    const edited = editFeature(list, 'F-002', { depends_on: [] }, null);
    expect(edited.ok && edited.list[1]).toEqual(feature('F-002'));
  });

  it('is dropped, unless another one depends on it', () => {
    expect(dropFeature(LIST, 'F-002')).toMatchObject({
      ok: true,
      changes: [{ id: 'F-002', change: 'dropped', proveAgain: false }],
    });
    const needed = [feature('F-001'), feature('F-002', { depends_on: ['F-001'] })];
    expect(dropFeature(needed, 'F-001')).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('F-002 depends on F-001')],
    });
    expect(dropFeature([feature('F-001')], 'F-001').ok).toBe(false);
  });
});
