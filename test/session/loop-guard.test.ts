import { describe, expect, it } from 'vitest';
import { FRESH_GUARD, type LoopVerdict, type RunCall, watchTurn } from '../../harness/session/loop-guard.js';
import { BUSY, LOOPING } from './transcripts.js';

/** The verdict after each turn, up to the one that ends the session. */
function watch(turns: readonly RunCall[][]): LoopVerdict[] {
  const verdicts: LoopVerdict[] = [];
  let guard = FRESH_GUARD;
  for (const turn of turns) {
    const watched = watchTurn(guard, turn);
    guard = watched.guard;
    verdicts.push(watched.verdict);
    if (watched.verdict.kind === 'stop') break;
  }
  return verdicts;
}

const kinds = (turns: readonly RunCall[][]) => watch(turns).map(({ kind }) => kind);
/** Turns of one call each, by a letter; upper case fails. */
const spelled = (letters: string) =>
  [...letters].map(letter => [
    {
      tool: 'read',
      input: { path: letter },
      text: /[A-Z]/.test(letter) ? 'It is locked.' : letter,
      isError: /[A-Z]/.test(letter),
      images: [],
    },
  ]);
const told = (letters: string) => {
  const found = kinds(spelled(letters));
  return { nudge: found.indexOf('nudge') + 1, stop: found.indexOf('stop') + 1 };
};

describe('sixty loops', () => {
  it('are sixty', () => expect(LOOPING).toHaveLength(60));

  it.each(LOOPING.map(each => [each.title, each] as const))('%s: told, then stopped in time', (_, each) => {
    const found = kinds(each.turns);
    const nudge = found.indexOf('nudge');
    const stop = found.indexOf('stop');
    expect(nudge).toBeGreaterThan(-1);
    expect(stop).toBeGreaterThan(nudge);
    expect(stop - (each.loopFrom ?? 0) + 1).toBeLessThanOrEqual(12);
  });
});

describe('sixty busy sessions', () => {
  it('are sixty', () => expect(BUSY).toHaveLength(60));

  it.each(BUSY.map(each => [each.title, each] as const))('%s: never stopped', (_, each) => {
    expect(kinds(each.turns)).not.toContain('stop');
  });

  it.each(BUSY.map(each => [each.title, each] as const))('%s: never told either', (_, each) => {
    expect(kinds(each.turns)).not.toContain('nudge');
  });
});

describe('how soon', () => {
  it.each([
    ['one call', 'aaaaaaaaaaaaaa', 4, 8],
    ['A and B', 'ababababababababab', 8, 12],
    ['a cycle of three', 'abcabcabcabcabcabc', 9, 12],
    ['a cycle of four', 'abcdabcdabcdabcdabcd', 8, 12],
    ['a cycle of five', 'abcdeabcdeabcdeabcde', 10, 12],
    ['one error from other calls', 'ABCDEFGHIJKLMN', 5, 9],
    ['one error with the same look between', 'vAvBvCvDvEvFvGvHvIvJ', 10, 18],
    ['a few calls without an order', 'abcacbbacabcbcaabccb', 11, 15],
  ])('%s is told and stopped', (_, letters, nudge, stop) => {
    expect(told(letters)).toEqual({ nudge, stop });
  });

  it.each([
    ['three times', 'xaaay'],
    ['A and B three times', 'xabababy'],
    ['a cycle of four, once and a half', 'abcdabcxyz'],
    ['four errors', 'ABCDxABCDy'],
  ])('%s is not told', (_, letters) => {
    expect(told(letters)).toEqual({ nudge: 0, stop: 0 });
  });
});

describe('after the word about it', () => {
  it('a session that turns to something else is let go on, and told again in another loop', () => {
    expect(kinds(spelled('aaaaxyzbbbbcd'))).toEqual([
      ...['none', 'none', 'none', 'nudge', 'none', 'none', 'none'],
      ...['none', 'none', 'none', 'nudge', 'none', 'none'],
    ]);
  });

  it('one that goes on in other words of the same is stopped all the same', () => {
    const found = kinds(spelled('aaaabaabaabaabaabaab'));
    expect(found.at(-1)).toBe('stop');
    expect(found.length).toBeLessThanOrEqual(4 + 12);
  });

  it('is a sentence that says what goes round', () => {
    expect(watch(spelled('aaaa')).at(-1)).toEqual({
      kind: 'nudge',
      what: 'the same call with the same result 4 times in a row',
    });
  });
});

describe('what makes two turns the same', () => {
  const turn = (change: Partial<RunCall>): RunCall[] => [
    {
      tool: 'browser',
      input: { a: 1, b: [{ c: 2, d: 3 }] },
      text: 'done',
      isError: false,
      images: [],
      ...change,
    },
  ];
  const four = (make: (step: number) => RunCall[]) => kinds([0, 1, 2, 3].map(make)).at(-1);

  it('is not the order of the fields of an input', () => {
    expect(four(step => turn(step % 2 ? { input: { b: [{ d: 3, c: 2 }], a: 1 } } : {}))).toBe('nudge');
  });

  it.each<[string, (step: number) => Partial<RunCall>]>([
    ['another input', step => ({ input: { a: step } })],
    ['another result', step => ({ text: `${step} of 9 done` })],
    ['another picture', step => ({ images: [`${step}`] })],
    ['an error instead of an answer', step => ({ isError: step % 2 === 0 })],
  ])('is broken by %s', (_, change) => {
    expect(four(step => turn(change(step)))).toBe('none');
  });
});
