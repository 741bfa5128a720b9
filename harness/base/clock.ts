// Time as an argument: the only file that reads the clock or sets a timer.

export interface Clock {
  /** Wall time in ms since the epoch, for records. It may jump; never measure with it. */
  now(): number;
  /** Monotonic time in ms, for durations and deadlines. */
  monotonic(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. Longer than 2^31-1 ms is the caller's mistake. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** `setTimeout` fires at once above this: a 32-bit overflow. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(done, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
      function done() {
        signal?.removeEventListener('abort', aborted);
        resolve();
      }
      function aborted() {
        clearTimeout(timer);
        reject(signal?.reason);
      }
      signal?.addEventListener('abort', aborted, { once: true });
    }),
};
