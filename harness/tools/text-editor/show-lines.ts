// Lines as the model reads them: numbered, bounded, and with a word about what is left out.

import { cutHead } from '../../base/cut-text.js';
import { BYTE_ORDER_MARK } from './text-file.js';

/** Characters of one view, numbers included. */
export const VIEW_LIMIT = 24_000;
const LINE_BYTES = 2_000;
const CONTEXT_LINES = 3;
const MAX_CHANGED_LINES = 24;

/** The lines of a text without their endings and without a byte order mark. */
export function splitLines(text: string): string[] {
  const body = text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
  const lines = body.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map(line => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** Lines with their numbers, the first being `from`. */
export function numberedLines(lines: readonly string[], from: number): string {
  return lines.map((line, index) => numberedLine(line, from + index)).join('\n');
}

/** Lines `first` to `last` (from 1, both shown) as far as the limit of a view allows. */
export function showRange(
  lines: readonly string[],
  first: number,
  last: number,
): { text: string; lastShown: number } {
  const shown: string[] = [];
  let length = 0;
  for (let number = first; number <= last; number++) {
    const line = numberedLine(lines[number - 1] ?? '', number);
    length += line.length + 1;
    if (length > VIEW_LIMIT) break;
    shown.push(line);
  }
  return { text: shown.join('\n'), lastShown: first + shown.length - 1 };
}

/** The changed lines with a few around them; the middle of a long change is left out. */
export function showChange(text: string, firstLine: number, lastLine: number): string {
  const lines = splitLines(text);
  if (lines.length === 0) return '(the file is empty now)';
  const from = Math.max(1, firstLine - CONTEXT_LINES);
  const to = Math.min(lines.length, lastLine + CONTEXT_LINES);
  const cut = (start: number, end: number) => numberedLines(lines.slice(start - 1, end), start);
  if (to - from < MAX_CHANGED_LINES) return cut(from, to);
  const half = MAX_CHANGED_LINES / 2;
  return [cut(from, from + half - 1), `  … ${to - from + 1 - 2 * half} lines …`, cut(to - half + 1, to)].join(
    '\n',
  );
}

function numberedLine(line: string, number: number): string {
  return `${String(number).padStart(6)}\t${shorten(line)}`;
}

function shorten(line: string): string {
  const kept = cutHead(line, LINE_BYTES);
  if (kept === line) return line;
  return `${kept}… [${line.length - kept.length} more characters in this line; cut -c in the shell shows them]`;
}
