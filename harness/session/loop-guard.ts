// Sees that a session goes round in circles: the same calls with the same results, or one error over and over. Pure.

import { createHash } from 'node:crypto';
import { withoutTimes } from './without-times.js';

/** A call that was run, with what the model was told. */
export interface RunCall {
  tool: string;
  input: unknown;
  text: string;
  isError: boolean;
  images: readonly string[];
}

/** What the guard remembers; starts as `FRESH_GUARD`. */
export interface LoopGuard {
  readonly turns: readonly TurnMark[];
  /** The model was told of the loop that it is in. */
  readonly nudged: boolean;
}

export type LoopVerdict =
  | { kind: 'none' }
  /** `what` goes round, as the end of a sentence. */
  | { kind: 'nudge' | 'stop'; what: string };

export const FRESH_GUARD: LoopGuard = { turns: [], nudged: false };

/** Takes a turn's calls. A loop is told once; when it goes on, it is to be stopped. */
export function watchTurn(
  guard: LoopGuard,
  calls: readonly RunCall[],
): { guard: LoopGuard; verdict: LoopVerdict } {
  const turns = [...guard.turns, markOf(calls, guard.turns)].slice(-REMEMBERED);
  const loops = KINDS.map(kind => ({ kind, length: kind.length(turns) }));
  const begun = loops.find(({ kind, length }) => length >= kind.nudgeAt);
  const lasting = loops.find(({ kind, length }) => length >= kind.stopAt);
  return { guard: { turns, nudged: begun !== undefined }, verdict: verdictOn(guard.nudged, begun, lasting) };
}

function verdictOn(
  nudged: boolean,
  begun: FoundLoop | undefined,
  lasting: FoundLoop | undefined,
): LoopVerdict {
  if (begun && !nudged) return { kind: 'nudge', what: begun.kind.what(begun.length) };
  if (lasting) return { kind: 'stop', what: lasting.kind.what(lasting.length) };
  return { kind: 'none' };
}

interface FoundLoop {
  kind: LoopKind;
  length: number;
}

/** One turn, as far as it matters here. */
interface TurnMark {
  /** Of its calls and their results, whatever their order. */
  readonly whole: string;
  /** The same calls had the same results a few turns ago. */
  readonly isOld: boolean;
  /** Of tool and text, when all of its calls failed. */
  readonly error: string | null;
}

interface LoopKind {
  /** Turns at the end that belong to such a loop. */
  length(turns: readonly TurnMark[]): number;
  /** The last of these turns, counted from the first of the loop, after which the model is told. */
  nudgeAt: number;
  /** The one after which it is over; at most the twelfth, wherever it is plain that it is a loop. */
  stopAt: number;
  what(length: number): string;
}

const REMEMBERED = 24;
/** So far back a turn counts as the same again. */
const RECENT = 8;

const KINDS: readonly LoopKind[] = [
  {
    length: turns => roundsOf(turns, 1),
    nudgeAt: 4,
    stopAt: 8,
    what: length => `the same call with the same result ${length} times in a row`,
  },
  cycle({ of: 2, nudgeAt: 8 }),
  cycle({ of: 3, nudgeAt: 9 }),
  cycle({ of: 4, nudgeAt: 8 }),
  cycle({ of: 5, nudgeAt: 10 }),
  {
    length: sameError,
    nudgeAt: 5,
    stopAt: 9,
    what: length => `the same error ${length} times, each time from another call of the same tool`,
  },
  {
    // Without an order. It begins with the first turn that is old, so what was new before it is not counted.
    length: turns => turns.length - 1 - turns.findLastIndex(turn => !turn.isOld),
    nudgeAt: 8,
    stopAt: 12,
    what: length => `${length} turns in a row with nothing but calls whose results were there already`,
  },
];

function cycle({ of, nudgeAt }: { of: number; nudgeAt: number }): LoopKind {
  return {
    length: turns => roundsOf(turns, of),
    nudgeAt,
    stopAt: 12,
    what: length =>
      `the same ${of} turns with the same results, one after the other, ${Math.floor(length / of)} times`,
  };
}

/** Turns at the end in which each is the same as the one `period` turns before it, the first round included. */
function roundsOf(turns: readonly TurnMark[], period: number): number {
  const isRepeated = (at: number) => at >= period && turns[at]?.whole === turns[at - period]?.whole;
  let repeated = 0;
  while (isRepeated(turns.length - 1 - repeated)) repeated++;
  return repeated === 0 ? 0 : repeated + period;
}

/** Turns with one and the same error. Old turns between them do not count; one that brought something new ends it. */
function sameError(turns: readonly TurnMark[]): number {
  let error: string | null = null;
  let count = 0;
  for (const turn of turns.toReversed()) {
    if (turn.error !== null && turn.error === (error ?? turn.error)) {
      error = turn.error;
      count++;
    } else if (!turn.isOld) {
      break;
    }
  }
  return count;
}

function markOf(calls: readonly RunCall[], before: readonly TurnMark[]): TurnMark {
  const results = calls.map(call => ({ ...call, text: withoutTimes(call.text) }));
  const whole = digest(
    results.map(({ tool, input, text, isError, images }) => [tool, canonical(input), text, isError, images]),
  );
  const allFailed = results.every(hasFailed);
  return {
    whole,
    isOld: before.slice(-RECENT).some(turn => turn.whole === whole),
    error: allFailed ? digest(results.map(({ tool, text }) => [tool, text])) : null,
  };
}

/** Of a set: neither order nor repetition counts. */
function digest(parts: readonly unknown[]): string {
  const distinct = [...new Set(parts.map(part => JSON.stringify(part)))].sort();
  return createHash('sha256').update(JSON.stringify(distinct)).digest('hex');
}

/** The same input gives the same text, whatever the order of its fields. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, canonical(field)] as const);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * A shell command that ended badly with a word about it is no error of the tool, but one over and over is a loop all
 * the same; unless it also writes, for then it is an attempt.
 */
function hasFailed({ tool, input, text, isError }: RunCall): boolean {
  if (isError) return true;
  const command = (input as { command?: unknown } | null)?.command;
  return tool === 'bash' && BAD_END.test(text) && typeof command === 'string' && !WRITES.test(command);
}

/** The status line of `bash` behind an output; a search that finds nothing has none. */
const BAD_END = /^\[exit code [1-9]/m;
const WRITES =
  /(?<![\d&>-])>>?(?!&)|<<|\b(?:tee|patch|mv|cp|rm|mkdir|touch|ln|chmod|install|apply|checkout|restore|revert|stash|merge)\b|\bsed\b.*\s-i/;
