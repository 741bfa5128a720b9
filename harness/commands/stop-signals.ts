// What a person asked of a running process: Ctrl-C and SIGTERM (once is "save and stop", twice is "now"), stop, pause.

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

/** @param hangup whether the end of the terminal (SIGHUP) is such a request; a process without one lives on. */
export function onStopSignals({ hangup }: { hangup: boolean }): StopSignals {
  const controller = new AbortController();
  let asked: StopRequest | null = null;
  const ask = (request: StopRequest, now: boolean) => {
    asked = request;
    if (now) controller.abort(new Error(request));
  };
  const interrupt = () => {
    // A second one ends the process as a crash would; the next start recovers from the journal.
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    ask('interrupted', true);
  };
  const handlers: [NodeJS.Signals, () => void][] = [
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
