import fc from 'fast-check';
import { expect, test } from 'vitest';
import { awkwardChunks } from '../../harness/standin/awkward-chunks.js';

test('chunks join to the text and never split a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), text => {
      const chunks = awkwardChunks(text);
      expect(chunks.join('')).toBe(text);
      expect(chunks.every(chunk => chunk !== '' && !/\p{Surrogate}/u.test(chunk))).toBe(true);
    }),
  );
});

test('escapes are split, and long texts do not make thousands of chunks', () => {
  expect(awkwardChunks('{"a":"line\\nnext\\t"}').filter(chunk => chunk.endsWith('\\'))).toHaveLength(2);
  expect(awkwardChunks('x'.repeat(100_000)).length).toBeLessThan(250);
});
