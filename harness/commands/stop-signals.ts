// Ctrl-C and SIGTERM: once is "save and stop", twice is "now".

import { EXIT } from '../base/errors.js';

export interface StopSignals {
  signal: AbortSignal;
  dispose(): void;
}

export function onStopSignals(): StopSignals {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals) => {
    // A second one ends the process as a crash would; the next start recovers from the journal.
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort(new Error(`stopped by ${name}`));
  };
  const names: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of names) process.on(name, stop);
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of names) process.off(name, stop);
    },
  };
}
