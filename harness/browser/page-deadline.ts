// A deadline for what Playwright gives none: questions to a page, which one that is stuck never answers.

/** Rejects with a `TimeoutError`, as Playwright's own deadlines do; the question itself stays open. */
export async function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  const signal = AbortSignal.timeout(ms);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([answer, late]);
}
