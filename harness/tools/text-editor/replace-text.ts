// Replaces the one place of a text that matches, keeping the file's line endings, or refuses.

import { changedTo, type Edited, refused } from './edited.js';
import { explainNoMatch } from './explain-no-match.js';
import { endingAt, hasOnlyCarriageReturns, lineEndings, lineOf, withEndings } from './line-endings.js';
import { isAscii, type TextFile } from './text-file.js';

/**
 * Matching is by code units. An LF in `oldText` matches LF and CRLF alike, unless `oldText` has a CR of its own: then it
 * is taken letter for letter. An LF in `newText` becomes the ending of the place. Never throws, never half an edit.
 */
export function replaceOnce(file: TextFile, oldText: string, newText: string): Edited {
  const { text } = file;
  if (file.encoding === 'bytes' && !isAscii(oldText + newText)) {
    return refused(
      'This file is not UTF-8 and its encoding is not known, so old_str and new_str may hold ASCII only here. Leave the other characters out of the edit, or convert the file first: iconv -f ENCODING -t utf-8.',
    );
  }
  if (hasOnlyCarriageReturns(text) && /\n/.test(oldText + newText)) {
    return refused(
      'The lines of this file end in CR alone (old Mac style), so an edit with line breaks is not possible here. Convert it first: tr "\\r" "\\n" < old > new.',
    );
  }
  const literal = oldText.includes('\r');
  const haystack = literal ? text : text.replaceAll('\r\n', '\n');
  const places = findAll(haystack, oldText).filter(
    at => !literal || keepsPairsWhole(text, at, oldText.length),
  );
  const [place] = places;
  if (place === undefined) return refused(explainNoMatch(text, oldText, newText));
  if (places.length > 1) return refused(explainManyMatches(haystack, places));

  const start = literal ? place : beforeCollapse(text, place);
  const end = literal ? place + oldText.length : beforeCollapse(text, place + oldText.length);
  if (file.encoding === 'bytes' && text.charCodeAt(start - 1) > 0x7f) {
    return refused(
      'This file is not UTF-8, and the byte before the place is not ASCII: both may be one character, which the edit would tear. Let old_str begin earlier or later, at an ASCII character that follows another one.',
    );
  }
  const replacement = withEndingsOfPlace(text, start, end, newText);
  if (replacement === undefined) {
    return refused(
      'The matched lines have both CRLF and LF endings, and new_str has another number of lines, so it is not clear which ending goes where. Replace fewer lines at a time, or make the endings of the file alike first: sed -i "s/\\r$//" FILE.',
    );
  }
  const result = text.slice(0, start) + replacement + text.slice(end);
  if (result === text) {
    return refused(
      'This edit would change nothing: edits keep the line endings of the file. Convert endings with shell commands.',
    );
  }
  const firstLine = lineOf(result, start);
  // A replacement that ends with a newline does not reach into the next line.
  const lastLine = lineOf(result, Math.max(start, start + replacement.length - 1));
  return changedTo(result, { firstLine, lastLine: Math.max(firstLine, lastLine) }, text);
}

/** All places, overlapping ones too: "aa" is twice in "aaa", so it does not name one place. */
function findAll(haystack: string, needle: string): number[] {
  const places: number[] = [];
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + 1)) places.push(at);
  return places;
}

/** False when a match begins or ends between the CR and the LF of one line ending. */
function keepsPairsWhole(text: string, start: number, length: number): boolean {
  const splits = (at: number) => text[at - 1] === '\r' && text[at] === '\n';
  return !splits(start) && !splits(start + length);
}

/** Where the character `index` of the text with CRLF collapsed to LF lies in the text itself. */
function beforeCollapse(text: string, index: number): number {
  let collapsed = 0;
  let at = 0;
  for (;;) {
    const pair = text.indexOf('\r\n', at);
    if (pair < 0 || collapsed + (pair - at) >= index) return at + (index - collapsed);
    collapsed += pair - at + 1;
    at = pair + 2;
  }
}

/** Undefined when the endings of the place are of both kinds and do not pair up with those of `newText`. */
function withEndingsOfPlace(text: string, start: number, end: number, newText: string): string | undefined {
  const old = lineEndings(text.slice(start, end));
  const [first] = old;
  const uniform = first === undefined ? endingAt(text, end) : first;
  if (old.every(ending => ending === uniform)) return withEndings(newText, () => uniform);
  if (lineEndings(newText).length !== old.length && /(^|[^\r])\n/.test(newText)) return undefined;
  return withEndings(newText, index => old[index] ?? uniform);
}

function explainManyMatches(haystack: string, places: number[]): string {
  const shown = places.slice(0, 20).map(at => lineOf(haystack, at));
  const lines = [...new Set(shown)].join(', ') + (places.length > shown.length ? ', …' : '');
  return `old_str matches ${places.length} places (lines ${lines}), so nothing was changed. Add lines before or after to old_str until it names one place.`;
}
