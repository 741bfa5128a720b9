// A result without what differs between two runs of the same thing: times, durations, ids. Counts stay: they are progress.

const NUMBER = String.raw`\d[\d,]*(?:\.\d+)?`;
const UNIT =
  '(?:ms|µs|us|ns|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|milliseconds?|microseconds?|days?)';
/** `12 s of 60 s`, `12s/60s`, `ETA 12 s`, `12 s left`: how far something is, not how long it took. */
const NO_PROGRESS_BEFORE = String.raw`(?<!\bof |/ ?|\beta[:= ]{1,2}|\bremaining[:= ]{1,2})(?<![\w.,])`;
const NO_PROGRESS_AFTER = String.raw`(?!\d|[.,]\d| ?(?:of\b|/|left\b|remaining\b|to go\b))`;

const TIMES: readonly [what: RegExp, mark: string][] = [
  // 2026-03-05T12:34:56.789Z, 2026-03-05 12:34:56 +0100
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?/g, '<time>'],
  // Thu Mar 5 … 2026, Thu, 05 Mar 2026: the clock time in it is the business of the next one
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d{1,2} )?[A-Z][a-z]{2}(?: +\d{1,2})?(?: \d{4})?\b/g, '<day>'],
  [outsideProgress(String.raw`(?<!:)\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?: ?[AP]M\b)?`), '<time>'],
  // Seconds and milliseconds since 1970, of these years
  [outsideProgress(String.raw`1[6-9]\d{8}(?:\d{3})?(?:\.\d+)?(?!\w)`), '<time>'],
  // 0m0.31s, 1h 2m 3s
  [outsideProgress(String.raw`(?:\d+h ?)?\d+m ?\d+(?:\.\d+)?s\b`), '<duration>'],
  [outsideProgress(String.raw`${NUMBER} ?${UNIT}\b`), '<duration>'],
  [
    /\b(duration|elapsed|took|response_?time)(\w*"?\s*[:=]?\s*)\d+(?:\.\d+)?(?!\d|\.\d| ?(?:of\b|\/))/gi,
    '$1$2<duration>',
  ],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b(pid[ :=]*)\d+/gi, '$1<id>'],
];

function outsideProgress(what: string): RegExp {
  return new RegExp(NO_PROGRESS_BEFORE + what + NO_PROGRESS_AFTER, 'gi');
}

/** Two results of the same call are the same when these are. */
export function withoutTimes(text: string): string {
  return TIMES.reduce((rest, [what, mark]) => rest.replace(what, mark), text);
}
