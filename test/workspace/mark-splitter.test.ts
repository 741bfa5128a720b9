import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MarkSplitter } from '../../harness/workspace/mark-splitter.js';

function split(mark: string, chunks: Buffer[]) {
  const splitter = new MarkSplitter(mark);
  const before: Buffer[] = [];
  const after: Buffer[] = [];
  let found = false;
  for (const chunk of chunks) {
    if (found) {
      after.push(chunk);
      continue;
    }
    const part = splitter.push(chunk);
    before.push(part.before);
    after.push(part.after);
    found = part.found;
  }
  before.push(splitter.rest());
  return { before: Buffer.concat(before).toString(), after: Buffer.concat(after).toString(), found };
}

test('the mark is found wherever the chunks are cut, and nothing is lost', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 30 });
  fc.assert(
    fc.property(text, text, fc.array(fc.nat(), { maxLength: 8 }), (before, after, cuts) => {
      const whole = Buffer.from(`${before}abXab${after}`);
      const at = [...cuts.map(cut => cut % whole.length), whole.length].sort((a, b) => a - b);
      const chunks = at.map((end, index) => whole.subarray(at[index - 1] ?? 0, end));
      expect(split('abXab', chunks)).toEqual({ before, after, found: true });
    }),
  );
});

test('without a mark everything comes out in the end', () => {
  expect(split('mark', [Buffer.from('one ma'), Buffer.from('r')])).toEqual({
    before: 'one mar',
    after: '',
    found: false,
  });
});
