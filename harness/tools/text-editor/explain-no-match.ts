// Why a text to be replaced was not found, and what the file has instead.

import { lineOf } from './line-endings.js';
import { numberedLines, splitLines } from './show-lines.js';
import { isAscii } from './text-file.js';

/** Above this the search for something similar would take longer than it is worth. */
const MAX_SEARCHED = 2_000_000;
const MAX_SHOWN_LINES = 15;
/** Below this two lines share little more than their language. */
const ENOUGH_ALIKE = 0.6;

export function explainNoMatch(text: string, oldText: string, newText: string): string {
  const found = text.length > MAX_SEARCHED ? undefined : reason(text, oldText, newText);
  return `old_str was not found, so nothing was changed. ${found ?? 'No line of the file is like it: view the file and copy the text from it.'}`;
}

function reason(text: string, oldText: string, newText: string): string | undefined {
  return (
    lineNumbersCopied(oldText) ??
    otherLineEnding(text, oldText) ??
    otherUnicodeForm(text, oldText) ??
    otherWhiteSpace(text, oldText) ??
    alreadyDone(text, newText) ??
    oneLineAlike(text, oldText) ??
    mostAlike(text, oldText)
  );
}

function lineNumbersCopied(oldText: string): string | undefined {
  const lines = oldText.split('\n').filter(line => line !== '');
  if (lines.length === 0 || !lines.every(line => /^ *\d+\t/.test(line))) return undefined;
  return 'old_str contains the line numbers that view prints. Leave out the number and the tab after it.';
}

function otherUnicodeForm(text: string, oldText: string): string | undefined {
  if (isAscii(oldText)) return undefined;
  for (const form of ['NFC', 'NFD'] as const) {
    const normal = text.replaceAll('\r\n', '\n').normalize(form);
    const place = normal.indexOf(oldText.replaceAll('\r\n', '\n').normalize(form));
    if (place < 0) continue;
    const line = lineOf(normal, place);
    return `Line ${line} has the same text in another Unicode form (composed or decomposed accents, NFC or NFD), so the characters differ. Replace a part without accented letters, or edit that line with a shell command.`;
  }
  return undefined;
}

function otherLineEnding(text: string, oldText: string): string | undefined {
  if (!oldText.includes('\r')) return undefined;
  const unify = (some: string) => some.replace(/\r\n?/g, '\n');
  if (!unify(text).includes(unify(oldText))) return undefined;
  return 'It is there with other line endings: old_str contains CR characters. Write plain LF (\\n) in old_str and new_str; the endings of the file are kept.';
}

function otherWhiteSpace(text: string, oldText: string): string | undefined {
  const lines = splitLines(text);
  const squeezed = lines.map(squeeze);
  const wanted = trimEmpty(oldText.split('\n').map(squeeze));
  if (wanted.length === 0) return undefined;
  const at = squeezed.findIndex((_, start) =>
    wanted.every((line, offset) => squeezed[start + offset] === line),
  );
  if (at < 0) return undefined;
  const shown = lines.slice(at, at + Math.min(wanted.length, MAX_SHOWN_LINES));
  return `It differs from the file only in white space (spaces, tabs, empty lines). Copy the text as it is, from line ${at + 1}:\n${numberedLines(shown, at + 1)}`;
}

function alreadyDone(text: string, newText: string): string | undefined {
  const unified = text.replaceAll('\r\n', '\n');
  const at = newText.trim().length < 8 ? -1 : unified.indexOf(newText.replaceAll('\r\n', '\n'));
  return at < 0
    ? undefined
    : `new_str is in the file already, at line ${lineOf(unified, at)}: was this edit done before?`;
}

/** The longest line of the wanted text is the one least likely to be found by chance. */
function oneLineAlike(text: string, oldText: string): string | undefined {
  const wanted = oldText.split('\n').map(squeeze);
  const longest = wanted.reduce((best, line) => (line.length > best.length ? line : best), '');
  if (longest.length < 4) return undefined;
  const lines = splitLines(text);
  const at = lines.findIndex(line => squeeze(line).includes(longest));
  if (at < 0) return undefined;
  const from = Math.max(0, at - wanted.indexOf(longest));
  const shown = lines.slice(from, from + Math.min(wanted.length + 1, MAX_SHOWN_LINES));
  return `Line ${at + 1} is like a line of old_str, but the lines around it differ. The file has, from line ${from + 1}:\n${numberedLines(shown, from + 1)}`;
}

/** The line that shares most pairs of neighbouring letters with the longest wanted one: a slip of a letter or word. */
function mostAlike(text: string, oldText: string): string | undefined {
  const wanted = oldText.split('\n');
  const longest = wanted.reduce(
    (best, line) => (squeeze(line).length > squeeze(best).length ? line : best),
    '',
  );
  const pairs = pairsOf(squeeze(longest));
  const lines = splitLines(text);
  let best = { at: -1, share: ENOUGH_ALIKE };
  for (const [at, line] of lines.entries()) {
    const share = sharedPairs(pairs, pairsOf(squeeze(line)));
    if (share > best.share) best = { at, share };
  }
  if (best.at < 0) return undefined;
  const from = Math.max(0, best.at - wanted.indexOf(longest));
  const shown = lines.slice(from, from + Math.min(wanted.length, MAX_SHOWN_LINES));
  return `The line most like it is line ${best.at + 1}. The file has, from line ${from + 1}:\n${numberedLines(shown, from + 1)}`;
}

function pairsOf(line: string): Set<string> {
  return new Set(Array.from({ length: Math.max(line.length - 1, 0) }, (_, at) => line.slice(at, at + 2)));
}

/** Dice's measure, 0 to 1. */
function sharedPairs(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size);
}

function squeeze(line: string): string {
  return line.replace(/\s+/g, '');
}

function trimEmpty(lines: string[]): string[] {
  const first = lines.findIndex(line => line !== '');
  const last = lines.findLastIndex(line => line !== '');
  return first < 0 ? [] : lines.slice(first, last + 1);
}
