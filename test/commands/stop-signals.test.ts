import { describe, expect, it, onTestFinished } from 'vitest';
import { onStopSignals } from '../../harness/commands/stop-signals.js';

/** Signals as this process would get them, at times of the test's choosing. */
function listening() {
  let now = 0;
  const stop = onStopSignals({
    clock: { now: () => now, monotonic: () => now, sleep: async () => {} },
    hangup: true,
  });
  onTestFinished(() => stop.dispose());
  const get = (signal: NodeJS.Signals, at: number) => {
    now = at;
    process.emit(signal, signal);
  };
  return { stop, get };
}

// What ends the process here is an error in a test.
const ENDED = /process\.exit/;

describe('signals', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('(%s) stop a run softly', signal => {
    const { stop, get } = listening();
    get(signal, 0);
    expect(stop.signal.aborted).toBe(true);
    expect(stop.asked()).toBe('interrupted');
  });

  it('end it at the second Ctrl-C, but not by one that arrives twice', () => {
    const { get } = listening();
    get('SIGINT', 0);
    get('SIGINT', 400);
    expect(() => get('SIGINT', 600)).toThrow(ENDED);
  });

  it('never end it because a terminal is gone, however often that is told', () => {
    const { get } = listening();
    get('SIGHUP', 0);
    get('SIGHUP', 10);
    get('SIGHUP', 5_000);
    expect(() => get('SIGTERM', 6_000)).toThrow(ENDED);
  });
});
