// Amounts as people read them: money, counts, spans and points of time, sizes.

/** `$0.02`. What was spent is never shown as nothing: a part of a cent is a cent. */
export function dollars(usd: number): string {
  const isPartOfCent = usd > FLOAT_DUST && usd < 0.01;
  return `$${(isPartOfCent ? 0.01 : usd).toFixed(2)}`;
}

/** What sums of floats leave where nothing should be. */
const FLOAT_DUST = 1e-9;

/** `1 turn`, `6 turns`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** `0.1 s`, `12 s`, `3 min`, `3 h 5 min`, `2 d 4 h`. */
export function span(ms: number): string {
  if (ms < 9_950) return `${(Math.max(ms, 0) / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `2026-01-31 18:05`, in the zone of the person who reads it unless another is named. */
export function moment(at: string | number, timeZone?: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return 'an unknown time';
  return new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'short',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(date);
}

/** `50 KB`. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 999_500 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
