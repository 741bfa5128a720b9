// Text of Playwright's runner made fit for a model: no colours, no stacks, no paths but the app's own.

/** What an error of the report consists of. */
export interface ErrorText {
  message: string;
  /** The lines of the spec around the place, the place itself marked with `>`. */
  snippet?: string;
}

const COLOURS = /\x1b\[[0-9;]*[A-Za-z]/g;
const FRAME_LINE = /^\s*(>\s*)?\d*\s*\|/;
const STACK_LINE = /^\s+at (async )?(\S.*\(.*\)|\S+:\d+:\d+)$/;
const LONGEST_LINE = 240;

export function withoutColours(text: string): string {
  return text.replace(COLOURS, '');
}

/** Paths below the work folder become the app's own (`e2e/…`); those of the runner's package get its name. */
export function withoutOurPaths(text: string, folders: { work: string; playwright: string }): string {
  return text.replaceAll(`${folders.work}/`, '').replaceAll(`${folders.playwright}/`, 'playwright/');
}

/** Takes a formatted error apart: message, then the lines of the spec, then the stack, which is dropped. */
export function splitError(formatted: string): ErrorText {
  const lines = withoutColours(formatted).split('\n').map(shorten);
  const marked = lines.findIndex(line => /^\s*>\s*\d+ \|/.test(line));
  const start = marked < 0 ? lines.length : startOfFrame(lines, marked);
  const message = lines
    .slice(0, start)
    .filter(line => !STACK_LINE.test(line))
    .join('\n')
    .replace(/\n\s+at \S+:\d+\s*$/, '')
    .trim();
  const after = lines.findIndex((line, index) => index > start && !FRAME_LINE.test(line));
  const snippet = lines.slice(start, after < 0 ? undefined : after).join('\n');
  return snippet.trim() === '' ? { message } : { message, snippet };
}

function startOfFrame(lines: readonly string[], marked: number): number {
  let start = marked;
  while (start > 0 && FRAME_LINE.test(lines[start - 1] ?? '')) start--;
  return start;
}

function shorten(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`;
}
