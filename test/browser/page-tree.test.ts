import { describe, expect, test } from 'vitest';
import { compareLines, describeChanges, linesOf } from '../../harness/browser/page-changes.js';
import { findByWords, staleRef } from '../../harness/browser/page-target.js';
import { readPageTree, renderTree } from '../../harness/browser/page-tree.js';

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: 'row',
    name: `row ${index} delete`,
    ref: `e${index + 10}`,
    children: [{ role: 'button', name: `delete ${index}`, ref: `e${index + 100_010}` }],
  }));

const table = (count: number) =>
  readPageTree([
    { role: 'heading', name: 'Rows', level: 1, ref: 'e1' },
    { role: 'table', ref: 'e2', children: rows(count) },
    { role: 'paragraph', ref: 'e3', text: 'the end' },
  ]);

describe('a tree as text', () => {
  test('has roles, names, states, references and texts, without wrappers that say nothing', () => {
    const nodes = readPageTree([
      {
        role: 'generic',
        ref: 'e1',
        children: [
          { role: 'checkbox', name: 'Agree', checked: true, ref: 'e2' },
          { role: 'generic', ref: 'e3', cursor: 'pointer', text: 'click me' },
          'loose words',
          { role: 'link', name: 'Away', ref: 'e4', url: '/away', cursor: 'pointer' },
        ],
      },
    ]);
    expect(renderTree(nodes, { characters: 1_000 })).toEqual({
      cut: false,
      text: [
        '- checkbox "Agree" [checked] [ref=e2]',
        '- generic [ref=e3] [clickable]: click me',
        '- text: loose words',
        '- link "Away" [ref=e4] -> /away',
      ].join('\n'),
    });
  });

  test('that is too long shows fewer of each list, and still what comes after it', () => {
    const { text, cut } = renderTree(table(1_000), { characters: 5_000 });
    expect(cut).toBe(true);
    expect(text.length).toBeLessThanOrEqual(5_000);
    expect(text).toMatch(/delete 49"[\s\S]*- … 950 more elements here\n- paragraph \[ref=e3\]: the end$/);
  });

  test('that is too long in every way is cut at its end', () => {
    const deep = readPageTree(rows(100).map(row => ({ ...row, role: 'listitem', text: 'x'.repeat(400) })));
    const { text, cut } = renderTree(deep, { characters: 300 });
    expect(cut).toBe(true);
    expect(text.length).toBeLessThanOrEqual(300);
  });

  test('of few levels says how much is below', () => {
    expect(renderTree(table(3), { characters: 1_000, depth: 0 }).text).toContain(
      '- table [ref=e2] (3 elements below)',
    );
  });

  test('takes any JSON', () => {
    for (const odd of [null, 7, 'text', [[]], [{ children: 'no list' }], [{ role: 1, name: {} }]])
      expect(() => renderTree(readPageTree(odd), { characters: 100 })).not.toThrow();
  });
});

describe('words', () => {
  const nodes = readPageTree([
    { role: 'cell', name: 'Save', ref: 'e1', children: [{ role: 'button', name: 'Save', ref: 'e2' }] },
    { role: 'button', name: 'Save all', ref: 'e3' },
    { role: 'option', name: 'Hidden' },
    { role: 'paragraph', ref: 'e4', children: ['Some words', { role: 'link', name: 'here', ref: 'e5' }] },
  ]);
  test.each([
    ['exactly, before in part', { name: 'save' }, 'e2'],
    ['in part', { name: 'all' }, 'e3'],
    ['with a role', { role: 'Cell', name: 'Save' }, 'e1'],
    ['by text of its own', { name: 'some words' }, 'e4'],
  ])('name an element %s', (_, target, ref) => {
    expect(findByWords(nodes, target)).toMatchObject({ ok: true, ref });
  });

  test('for something that is there but takes no clicks say so', () => {
    expect(findByWords(nodes, { name: 'Hidden' })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('cannot be acted on'),
    });
  });

  test('of a reference that is gone lead to what replaced it', () => {
    const now = readPageTree([{ role: 'button', name: 'Save all', ref: 'e9' }]);
    expect(staleRef('e3', nodes, now)).toContain('the page has it as e9 now');
    expect(staleRef('e5', nodes, now)).toContain('no longer on the page');
    expect(staleRef('e77', nodes, now)).toContain('had no e77');
  });
});

describe('changes', () => {
  const lines = (...texts: string[]) =>
    linesOf(readPageTree(texts.map((text, index) => ({ role: 'listitem', text, ref: `e${index}` }))));

  test('are what is gone and what has come, also of lines that stand there twice', () => {
    const before = ['a', 'a', 'b'];
    expect(compareLines(before, ['a', 'c'])).toEqual({ gone: ['a', 'b'], come: ['c'], renewed: [] });
    const renewed = compareLines(['x [ref=e1]', 'y [ref=e2]', 'z'], ['x [ref=e7]', 'y [ref=e2]', 'w']);
    expect(describeChanges(renewed)).toEqual(['- z', '+ w', '~ x [ref=e7] (as before, with a new ref)']);
    expect(describeChanges(compareLines(lines('one'), lines('two')))).toEqual([
      '- listitem [ref=e0]: one',
      '+ listitem [ref=e0]: two',
    ]);
  });

  test('are bounded', () => {
    const many = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const told = describeChanges(compareLines(many, []));
    expect(told).toHaveLength(16);
    expect(told.at(-1)).toBe('- … and 85 more');
  });
});
