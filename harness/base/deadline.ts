// Waits for something no longer than allowed.

import type { Clock } from './clock.js';

export interface DeadlineOptions {
  ms: number;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

/** What came first: the end of `work`, the deadline, or the signal. `work` goes on either way; a rejection of it is passed on. */
export async function firstOf(
  work: Promise<unknown>,
  { ms, clock, signal }: DeadlineOptions,
): Promise<'ended' | 'timeout' | 'signal'> {
  if (signal?.aborted) return 'signal';
  const stop = new AbortController();
  const waits = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const deadline = clock.sleep(ms, waits).then(
    () => 'timeout' as const,
    () => 'signal' as const,
  );
  try {
    return await Promise.race([work.then(() => 'ended' as const), deadline]);
  } finally {
    stop.abort();
  }
}
