// Tells when an answer takes too long: silent for too long, or alive for too long.

import type { Clock } from '../base/clock.js';

export interface StreamLimits {
  /** Longest silence, ms. Anything that arrives ends it, keep-alive pings too. */
  idleLimitMs: number;
  /** Longest time for one answer, ms, however alive it is. */
  totalLimitMs: number;
}

/** Resolves with the limit that was passed; rejects when `over` aborts. `lastLifeMs` is on the monotonic clock. */
export async function passedLimit(
  clock: Clock,
  limits: StreamLimits,
  lastLifeMs: () => number,
  over: AbortSignal,
): Promise<'idle' | 'total'> {
  const endMs = clock.monotonic() + limits.totalLimitMs;
  for (;;) {
    const now = clock.monotonic();
    const idleLeft = lastLifeMs() + limits.idleLimitMs - now;
    const totalLeft = endMs - now;
    if (totalLeft <= 0) return 'total';
    if (idleLeft <= 0) return 'idle';
    await clock.sleep(Math.min(idleLeft, totalLeft, LONGEST_SLEEP_MS), over);
  }
}

/** A timer of more than 2^31 ms fires at once. */
const LONGEST_SLEEP_MS = 3_600_000;
