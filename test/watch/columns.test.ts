import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf, cutColumns, wrapColumns } from '../../harness/watch/columns.js';

describe('columns of a terminal', () => {
  it.each([
    ['plain', 5],
    ['日本', 4],
    ['e\u0301a', 2],
    ['👩‍👩‍👧', 2],
    ['✔️', 2],
    ['🇩🇪', 2],
    ['ｆ', 2],
    ['', 0],
  ])('%s takes %i', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });

  it('a cut never splits a character and ends in an ellipsis', () => {
    expect(cutColumns('日本語', 4)).toBe('日…');
    expect(cutColumns('👩‍👩‍👧👩‍👩‍👧', 3)).toBe('👩‍👩‍👧…');
    expect(cutColumns('fits', 4)).toBe('fits');
  });
});

describe('wrapping', () => {
  it('breaks between words, and inside of one only when it is longer than a line', () => {
    expect(wrapColumns('one two three four', { width: 12, first: 2, rest: 2 })).toEqual([
      'one two',
      '  three four',
    ]);
    expect(wrapColumns(`a ${'x'.repeat(25)} b`, { width: 12, first: 0, rest: 2 })).toEqual([
      'a',
      '  xxxxxxxxxx',
      '  xxxxxxxxxx',
      '  xxxxx b',
    ]);
  });

  it('keeps to a number of lines and says that more was there', () => {
    expect(wrapColumns('aaaa bbbb cccc dddd', { width: 10, first: 0, rest: 0, most: 1 })).toEqual([
      'aaaa bbbb…',
    ]);
  });

  it('of any text fits the width and loses nothing', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc
            .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
            .map(word => word.replace(/\s|\p{C}/gu, 'x')),
        ),
        fc.integer({ min: 20, max: 70 }),
        fc.integer({ min: 0, max: 8 }),
        (words, width, rest) => {
          const text = words.join(' ');
          const lines = wrapColumns(text, { width, first: rest, rest });
          for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width);
          expect(lines.join('').replace(/ /g, '')).toBe(text.replace(/ /g, ''));
        },
      ),
    );
  });
});
