// How long the API asked us to wait: read from headers that may be absent, skewed or nonsense.

/** One limit of several: when it is used up, `remaining` is 0 and `reset` says when it is there again. */
const RATE_LIMIT = /^anthropic-ratelimit-(.+)-reset$/;

/** Milliseconds, or undefined when nothing usable was said. The caller clamps: 30 days are passed on as 30 days. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const inMs = positive(Number(headers.get('retry-after-ms') ?? Number.NaN));
  if (inMs !== undefined) return inMs;
  const said = headers.get('retry-after')?.trim();
  if (!said) return undefined;
  const seconds = Number(said);
  return positive(Number.isNaN(seconds) ? untilMs(said, headers, nowMs) : seconds * 1000);
}

/**
 * Milliseconds until the rate limit that refused is back, for a 429 without `retry-after`: the latest of those that are
 * used up; when none says that it is, the earliest of all, because trying is cheap.
 */
export function rateLimitResetMs(headers: Headers, nowMs: number): number | undefined {
  const used: number[] = [];
  const open: number[] = [];
  for (const [name, value] of headers) {
    const limit = RATE_LIMIT.exec(name)?.[1];
    const wait = limit === undefined ? undefined : positive(untilMs(value, headers, nowMs));
    if (wait === undefined) continue;
    (headers.get(`anthropic-ratelimit-${limit}-remaining`)?.trim() === '0' ? used : open).push(wait);
  }
  if (used.length > 0) return Math.max(...used);
  return open.length > 0 ? Math.min(...open) : undefined;
}

/** Time left until a moment: RFC 3339, an HTTP date, or seconds since 1970; by the server's clock where it tells it. */
function untilMs(moment: string, headers: Headers, nowMs: number): number {
  const epoch = Number(moment);
  const at = Number.isNaN(epoch) ? Date.parse(moment) : epoch * 1000;
  const serverNow = Date.parse(headers.get('date') ?? '');
  return at - (Number.isNaN(serverNow) ? nowMs : serverNow);
}

function positive(ms: number): number | undefined {
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
