// How long to wait between tries of something that is down: growing, jittered, and never more than 60 tries an hour.

/** The first wait lies between this and twice this. */
const FIRST_MS = 1_000;
/** Waits double up to here; from then on each one lies between `STEADY_MS` and `LONGEST_MS`. */
const DOUBLINGS = 6;
const STEADY_MS = 72_000;
const LONGEST_MS = 86_000;

/** An announced end is never waited for in one piece longer than this: trying is cheap, and announcements are wrong. */
const LONGEST_ANNOUNCED_MS = 3_600_000;
const SHORTEST_ANNOUNCED_MS = 1_000;
/** Spread after an announced end, so that not everybody comes back in the same instant. */
const ANNOUNCED_JITTER_MS = 3_000;

/** Tries that may come faster than one per `STEADY_MS`: 9 + 3,600 / 72 + 1 = 60 in any hour, whatever was announced. */
const BURST = 9;

/** Where an outage stands; made by `freshPace` and `nextWait` only. */
export interface Pace {
  /** Tries that failed since it last worked. */
  readonly failures: number;
  /** Monotonic time at which the tries so far would be due at one per `STEADY_MS`. */
  readonly dueMs: number;
}

export const freshPace: Pace = { failures: 0, dueMs: Number.NEGATIVE_INFINITY };

/**
 * The wait after one more failure, and the pace to pass in after the next one. `announcedMs` is how long the other side
 * asked to wait; nonsense in it is ignored. `random` gives numbers in [0, 1).
 */
export function nextWait(
  pace: Pace,
  facts: { nowMs: number; announcedMs?: number | undefined },
  random: () => number,
): { waitMs: number; pace: Pace } {
  const failures = pace.failures + 1;
  const dueMs = Math.max(pace.dueMs, facts.nowMs) + STEADY_MS;
  const wanted = announcedWait(facts.announcedMs, random) ?? ownWait(failures, random);
  const allowedMs = dueMs - BURST * STEADY_MS - facts.nowMs;
  return { waitMs: Math.ceil(Math.max(wanted, allowedMs)), pace: { failures, dueMs } };
}

/**
 * The wait after the n-th failure in a row when nobody said how long: 1-2 s, 2-4 s, ... 32-64 s, then 72-86 s. The jitter
 * fills the upper half of each step, so a wait is never shorter than the one before until the last step is reached.
 */
export function ownWait(failures: number, random: () => number): number {
  if (failures > DOUBLINGS) return STEADY_MS + random() * (LONGEST_MS - STEADY_MS);
  return FIRST_MS * 2 ** (failures - 1) * (1 + random());
}

function announcedWait(announcedMs: number | undefined, random: () => number): number | undefined {
  if (announcedMs === undefined || Number.isNaN(announcedMs) || announcedMs <= 0) return undefined;
  const clamped = Math.min(Math.max(announcedMs, SHORTEST_ANNOUNCED_MS), LONGEST_ANNOUNCED_MS);
  return Math.min(clamped + random() * ANNOUNCED_JITTER_MS, LONGEST_ANNOUNCED_MS);
}
