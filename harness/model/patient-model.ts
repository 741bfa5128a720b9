// Waits out what passes by itself: rate limits, overload, a network that is down. The only place that tries again.

import { freshPace, nextWait } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import type { ModelFaultName } from '../journal/records.js';
import { type Model, ModelError, type ModelFault } from './model.js';

/** One sleep before the next try, told when it begins. */
export interface Wait {
  /** A `ModelFault`, or what another version called one. */
  fault: ModelFaultName;
  status: number | undefined;
  /** What the API or the network said, one line. */
  message: string;
  /** Tries that failed so far in this outage, from 1; 0 for a wait that an earlier process had begun. */
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
  /** A wait that an earlier process had begun: the first request does not go out before its end. */
  inherited?: Pick<Wait, 'fault' | 'message' | 'untilMs'> | null | undefined;
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
  let { inherited } = options;

  return {
    async send(request, signal, onAborted) {
      const owed = inherited;
      inherited = null;
      if (owed) await waitOut(owed, signal);

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

  async function waitOut(
    { fault, message, untilMs }: NonNullable<PatientOptions['inherited']>,
    signal: AbortSignal,
  ): Promise<void> {
    const ms = Math.min(untilMs - clock.now(), LONGEST_INHERITED_WAIT_MS);
    if (!(ms > 0)) return;
    onWaitBegin?.({ fault, status: undefined, message, attempt: 0, untilMs: clock.now() + ms });
    await clock.sleep(ms, signal);
  }
}

/** The error itself as a value where waiting helps; everything else goes on to the caller. */
function passingFault(error: unknown): ModelError {
  if (error instanceof ModelError && PASSES_BY_ITSELF.has(error.fault)) return error;
  throw error;
}
