import { describe, expect, it } from 'vitest';
import { plainJson, plainLine, plainLines } from '../../harness/watch/plain-text.js';

describe('text of records', () => {
  it.each([
    ['colours and cursor moves', 'a\x1b[31mred\x1b[0m\x1b[2J\x1b[1;1Hb', 'aredb'],
    ['titles and links', 'a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\c', 'abc'],
    ['an 8-bit escape', 'a\x9b31mb', 'a\ufffd31mb'],
    ['a bell and a NUL', 'a\x07b\0c', 'a␇b␀c'],
    ['an overwritten line', 'this is hidden\rshown', 'shown'],
    ['line feeds of all kinds', 'a\nb\r\nc\u2028d\u0085', 'a b c d\ufffd'],
    ['turned around text', 'a\u202etxt.exe\u202c', 'a\ufffdtxt.exe\ufffd'],
    ['invisible characters', 'a\u200bb\ufeffc', 'abc'],
    ['half a character', 'a\ud83db', 'a\ufffdb'],
    ['a family', '👩‍👩‍👧', '👩‍👩‍👧'],
  ])('%s become one harmless line', (_, text, line) => {
    expect(plainLine(text)).toBe(line);
  });

  it('become lines, empty ones left out', () => {
    expect(plainLines('one\n\n  two \x1b[1m\n\x1b[31mthree')).toEqual(['one', 'two', 'three']);
  });

  it('in JSON hold nothing that a terminal acts on, and stay what they are', () => {
    const value = { text: 'a\x1b[31m\x9b\x7f\u202e\u2028"b' };
    expect(plainJson(value)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e\u2028]/);
    expect(JSON.parse(plainJson(value))).toEqual(value);
  });
});
