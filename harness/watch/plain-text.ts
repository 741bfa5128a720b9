// Text of records made harmless for a terminal: whatever an agent wrote, it moves no cursor, colours nothing, hides nothing.

import { terminalText } from '../base/terminal-text.js';

/** Marks that turn the direction of text around: a line could read other than it is. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Between characters, invisible: zero-width space, soft hyphen, byte order mark, line and paragraph separators. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;

/** With nothing but text and blanks in it, each of them kept: for labels that are filled up to a width. */
export function plainLabel(text: string): string {
  return plain(text).replace(/\s/g, ' ');
}

/** As one line: blanks of any kind are one blank. */
export function plainLine(text: string): string {
  return plain(text).replace(/\s+/g, ' ').trim();
}

/** As lines, those without anything on them left out. */
export function plainLines(text: string): string[] {
  return plain(text)
    .split(/[\n\u2028\u2029]/)
    .map(line => line.replace(/\s+/g, ' ').trim())
    .filter(line => line !== '');
}

/** JSON whose strings hold no character that a terminal would act on. */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    // All of them can only stand inside strings.
    /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function plain(text: string): string {
  return terminalText(text.toWellFormed()).replace(DIRECTION, '\ufffd').replace(INVISIBLE, '');
}
