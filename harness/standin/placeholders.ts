// Fills the placeholders of recorded answers: a counter and times that only the moment of sending knows.

export interface Moment {
  /** Grows with each request. */
  count: number;
  /** Wall time, ms. */
  now: number;
}

/** `@n` is the counter, `@now+20s` an RFC 3339 time, `@epoch+20s` seconds since 1970. */
export function fillPlaceholders(text: string, { count, now }: Moment): string {
  return text
    .replace(/@now\+(\d+)s/g, (_, seconds) => new Date(now + Number(seconds) * 1000).toISOString())
    .replace(/@epoch\+(\d+)s/g, (_, seconds) => String(Math.floor(now / 1000) + Number(seconds)))
    .replace(/@n\b/g, String(count));
}
