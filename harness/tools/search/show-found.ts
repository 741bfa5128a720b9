// What was found as the model reads it: path:line:text, bounded, with how much more there is and how to get at it.

import type { Found, FoundFile, FoundLine } from './found.js';

/** Of the whole result. */
export const RESULT_CHARACTERS = 12_000;
/** What the lines behind the list may take of it. */
const TAIL_CHARACTERS = 1_500;
export const MOST_LIMIT = 1_000;
const LINE_CHARACTERS = 300;
/** Of a long line: what is shown before the match. */
const BEFORE_MATCH = 80;
const NAMED_FILES = 3;
const PATH_CHARACTERS = 300;

export interface Shown {
  found: Found;
  mode: 'content' | 'files';
  limit: number;
  /** Absolute path of the app; paths are relative to it. */
  root: string;
  /** What was searched, for the sentence when nothing matched: `214 files below src`. */
  where: string;
  /** What was left out, as sentences. */
  notes: readonly string[];
}

export function showFound({ found, mode, limit, root, where, notes }: Shown): string {
  const tail = [...notes, ...ownNotes(found)].map(note => `[${note}]`);
  if (found.files.length === 0) return [`No line matches in ${where}.`, ...tail].join('\n');
  const head = `${counted(found.matches, 'matching line')}${found.stopped ? ' so far' : ''} in ${counted(found.files.length, 'file')}; paths are relative to ${root}`;
  const room = RESULT_CHARACTERS - TAIL_CHARACTERS - head.length;
  const body = mode === 'files' ? showFiles(found.files, limit, room) : showLines(found, limit, room);
  return cutTail([head, ...body, ...tail].join('\n'));
}

function showFiles(files: readonly FoundFile[], limit: number, room: number): string[] {
  const lines = files
    .slice(0, limit)
    .map(({ path, matches }) => `${shownPath(path)} (${counted(matches, 'line')})`);
  const shown = fitting(lines, room);
  if (shown.length === files.length) return shown;
  return [...shown, `[${counted(files.length - shown.length, 'more file')} not shown. ${NARROW}.]`];
}

const NARROW = 'Narrow it with path, glob or a longer pattern';

function showLines(found: Found, limit: number, room: number): string[] {
  const all = found.files.flatMap(linesOf);
  const texts = fitting(
    all.map(({ text }) => text),
    room,
  );
  const shown = all.slice(0, texts.length).filter(({ isMatch }) => isMatch);
  if (shown.length === found.matches) return texts;
  return [...texts, `[${restOf(found, shown)} ${howToSee(shown.length >= limit)}]`];
}

interface ShownLine {
  file: FoundFile;
  isMatch: boolean;
  text: string;
}

/** Where lines between two of them are left out, a line with two hyphens stands. */
function linesOf(file: FoundFile): ShownLine[] {
  const hasContext = file.lines.some(({ at }) => at === null);
  return file.lines.map((line, index) => {
    const before = file.lines[index - 1];
    const gap = before && before.number < line.number - 1 && hasContext ? '--\n' : '';
    return { file, isMatch: line.at !== null, text: `${gap}${showLine(file.path, line)}` };
  });
}

function showLine(path: string, { number, text, at }: FoundLine): string {
  const sign = at === null ? '-' : ':';
  return `${shownPath(path)}${sign}${number}${sign}${shorten(text, at ?? 0)}`;
}

/** How much is not shown, and where most of it lies. */
function restOf(found: Found, shown: readonly ShownLine[]): string {
  const rest = new Map(found.files.map(file => [file, file.matches]));
  for (const { file } of shown) rest.set(file, (rest.get(file) ?? 0) - 1);
  const most = [...rest].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  const named = most.slice(0, NAMED_FILES).map(([file, count]) => `${shownPath(file.path)} (${count})`);
  return `${counted(found.matches - shown.length, 'more matching line')} not shown, most in ${named.join(', ')}.`;
}

function howToSee(reachedLimit: boolean): string {
  const larger = reachedLimit ? `, take a larger limit (at most ${MOST_LIMIT})` : '';
  return `${NARROW}${larger}, or list the files with "mode": "files".`;
}

function ownNotes({ stopped, searched, slow }: Found): string[] {
  const notes: string[] = [];
  if (stopped === 'time') notes.push(`The time was over after ${counted(searched, 'file')}. ${NARROW}.`);
  if (stopped === 'many') notes.push(`Stopped there: the pattern matches too much. ${NARROW}.`);
  if (slow.length > 0) {
    notes.push(
      `Left out, because the pattern took too long in it: ${slow.map(shownPath).join(', ')}. A pattern without nested repetition would work.`,
    );
  }
  return notes;
}

/** As many of the lines as fit. */
function fitting(lines: readonly string[], room: number): string[] {
  let length = 0;
  const over = lines.findIndex(line => {
    length += line.length + 1;
    return length > room;
  });
  return over < 0 ? [...lines] : lines.slice(0, over);
}

/** A long line is shown around its match. */
function shorten(line: string, at: number): string {
  const text = line.replace(/[\x00-\x08\x0a-\x1f\x7f]/g, '·');
  if (text.length <= LINE_CHARACTERS) return text;
  const from = at > LINE_CHARACTERS - BEFORE_MATCH ? at - BEFORE_MATCH : 0;
  const part = text.slice(from, from + LINE_CHARACTERS).toWellFormed();
  const after = text.length - from - part.length;
  return `${from > 0 ? `[${from} characters]…` : ''}${part}${after > 0 ? `…[${after} characters]` : ''}`;
}

/** A name with line breaks must not look like two lines. */
export function shownPath(path: string): string {
  const shown = /[\x00-\x1f\x7f]/.test(path) ? JSON.stringify(path) : path;
  return shown.length > PATH_CHARACTERS ? `…${shown.slice(-PATH_CHARACTERS).toWellFormed()}` : shown;
}

export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;
}

function cutTail(text: string): string {
  return text.length <= RESULT_CHARACTERS ? text : `${text.slice(0, RESULT_CHARACTERS - 1).toWellFormed()}…`;
}
