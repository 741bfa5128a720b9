// What a person asked of a running process: Ctrl-C and SIGTERM (once is "save and stop", twice is "now"), a terminal that
// is gone (always "save and stop"), stop, pause.

import type { Clock } from '../base/clock.js';
import { EXIT } from '../base/errors.js';
import type { StopRequest } from '../runner/run-deps.js';
import type { ControlRequest } from '../workspace/run-control.js';

export interface StopSignals {
  /** Aborts for everything but a stop after this session. */
  signal: AbortSignal;
  /** What was asked last; null while nobody asked. */
  asked(): StopRequest | null;
  take(request: ControlRequest): void;
  dispose(): void;
}

/** One gesture arrives more than once: from the terminal, and handed on by whoever started this process. */
const SAME_GESTURE_MS = 500;

/** @param hangup whether the end of the terminal (SIGHUP) is such a request; a process without one lives on. */
export function onStopSignals({ clock, hangup }: { clock: Clock; hangup: boolean }): StopSignals {
  const controller = new AbortController();
  let asked: StopRequest | null = null;
  const ask = (request: StopRequest, now: boolean) => {
    asked = request;
    if (now) controller.abort(new Error(request));
  };
  let firstAt = Number.POSITIVE_INFINITY;
  const interrupt = (signal: NodeJS.Signals) => {
    if (!controller.signal.aborted) {
      firstAt = clock.monotonic();
      ask('interrupted', true);
      return;
    }
    // A second one ends the process as a crash would; the next start recovers from the journal. Nobody asks for that by
    // losing a connection.
    if (signal !== 'SIGHUP' && clock.monotonic() - firstAt > SAME_GESTURE_MS) process.exit(EXIT.interrupted);
  };
  const handlers: [NodeJS.Signals, (signal: NodeJS.Signals) => void][] = [
    ['SIGINT', interrupt],
    ['SIGTERM', interrupt],
    ['SIGHUP', hangup ? interrupt : () => {}],
  ];
  for (const [name, handler] of handlers) process.on(name, handler);
  return {
    signal: controller.signal,
    asked: () => asked,
    take: request => {
      if (request === 'stop') ask('stopped', false);
      else ask(request === 'pause' ? 'paused' : 'interrupted', true);
    },
    dispose: () => {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}
