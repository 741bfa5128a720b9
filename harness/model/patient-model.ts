// Waits out what passes by itself: rate limits, overload, a network that is down. The only place that tries again.

import { freshPace, nextWait } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import { type Model, ModelError, type ModelFault } from './model.js';

/** One sleep before the next try, told when it begins. */
export interface Wait {
  fault: ModelFault;
  status: number | undefined;
  /** What the API or the network said, one line. */
  message: string;
  /** Tries that failed so far in this outage, from 1. */
  attempt: number;
  /** Wall time of the next try, ms since the epoch. */
  untilMs: number;
}

export interface PatientOptions {
  clock: Clock;
  /** Numbers in [0, 1). */
  random: () => number;
  onWaitBegin?: (wait: Wait) => void;
  /** The call came through after `attempts` failures. Not called when it ended otherwise. */
  onWaitEnd?: (attempts: number) => void;
  /** A wait that an earlier process had begun, wall time: the first request does not go out before. */
  notBeforeMs?: number | undefined;
}

/** A person is needed for the other faults, and waiting would hide it. */
const PASSES_BY_ITSELF: ReadonlySet<ModelFault> = new Set<ModelFault>([
  'rate_limit',
  'overloaded',
  'network',
]);

/** As long as one announced wait may be: a clock that jumped must not put us to sleep for good. */
const LONGEST_INHERITED_WAIT_MS = 3_600_000;

/** `model`, tried again for as long as it takes. Only the signal and faults that need a person end it. */
export function patientModel(model: Model, options: PatientOptions): Model {
  const { clock, random, onWaitBegin, onWaitEnd } = options;
  let notBeforeMs = options.notBeforeMs ?? 0;

  return {
    async send(request, signal, onAborted) {
      const inheritedMs = Math.min(notBeforeMs - clock.now(), LONGEST_INHERITED_WAIT_MS);
      notBeforeMs = 0;
      if (inheritedMs > 0) await clock.sleep(inheritedMs, signal);

      let pace = freshPace;
      for (;;) {
        const result = await model.send(request, signal, onAborted).catch(passingFault);
        if (!(result instanceof ModelError)) {
          if (pace.failures > 0) onWaitEnd?.(pace.failures);
          return result;
        }
        signal.throwIfAborted();
        const facts = { nowMs: clock.monotonic(), announcedMs: result.retryAfterMs };
        const next = nextWait(pace, facts, random);
        pace = next.pace;
        onWaitBegin?.({
          fault: result.fault,
          status: result.status,
          message: result.message,
          attempt: pace.failures,
          untilMs: clock.now() + next.waitMs,
        });
        await clock.sleep(next.waitMs, signal);
      }
    },
  };
}

/** The error itself as a value where waiting helps; everything else goes on to the caller. */
function passingFault(error: unknown): ModelError {
  if (error instanceof ModelError && PASSES_BY_ITSELF.has(error.fault)) return error;
  throw error;
}
