// Searches without ripgrep: line by line in this process, where no pattern and no file can hold it up.

import { createContext, Script } from 'node:vm';
import { readAppFile } from '../../workspace/app-files.js';
import { decodeFile } from '../text-editor/text-file.js';
import { Found, type FoundLine, type Query } from './found.js';
import type { Pace } from './pace.js';
import { compilePattern } from './pattern.js';
import { MOST_FILE_BYTES, placeOf } from './select-files.js';

/** A pattern with nested repetition can take for ever on one line: so long it may take for a file. */
const FILE_MS = 400;
/** So many slow files say that it is the pattern. */
const MOST_SLOW = 5;

export async function searchByOurselves(
  query: Query,
  files: readonly string[],
  { root, pace }: { root: string; pace: Pace },
): Promise<{ ok: true; found: Found } | { ok: false; problem: string }> {
  const compiled = compilePattern(query.pattern, query);
  if (!compiled.ok) return compiled;
  const matcher = new BoundedMatcher(compiled.regex);
  const found = new Found(query);
  for (const path of files) {
    if (!(await pace.goesOn())) {
      found.stopped = 'time';
      break;
    }
    found.searched++;
    const lines = linesOf(root, path);
    if (lines === null) continue;
    const matches = matcher.match(lines);
    if (matches !== null) {
      if (!found.add(path, withContext(lines, matches, query.context))) break;
    } else if (found.slow.push(path) >= MOST_SLOW) {
      return { ok: false, problem: tooSlow(found.slow) };
    }
  }
  return { ok: true, found };
}

/** Null for what is no text, or gone by now. */
function linesOf(root: string, path: string): string[] | null {
  const read = readAppFile(placeOf(root, path.split('/')), MOST_FILE_BYTES);
  if (!read.ok) return null;
  const text = textOf(read.bytes);
  if (text === null) return null;
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Text as ripgrep takes it: UTF-8, UTF-16 with its mark, or bytes without NUL. */
function textOf(bytes: Buffer): string | null {
  const mark = bytes.subarray(0, 2).toString('hex');
  if (mark === 'fffe') return new TextDecoder('utf-16le').decode(bytes);
  if (mark === 'feff') return new TextDecoder('utf-16be').decode(bytes);
  const file = decodeFile(bytes);
  return file.kind === 'text' ? file.text.replace(/^\uFEFF/, '') : null;
}

type Match = readonly [index: number, at: number];

interface Globals {
  lines: readonly string[];
  regex: RegExp;
}

/** Runs a regular expression under a deadline that also breaks off one that backtracks without end. */
class BoundedMatcher {
  readonly #globals: Globals;
  readonly #script = new Script(`(() => {
    const { exec } = RegExp.prototype;
    const found = [], all = lines, pattern = regex;
    for (let index = 0; index < all.length; index++) {
      const match = exec.call(pattern, all[index]);
      if (match) found.push([index, match.index]);
    }
    return found;
  })()`);

  constructor(regex: RegExp) {
    this.#globals = createContext({ lines: [], regex }) as Globals;
  }

  /** Null when it took too long. */
  match(lines: readonly string[]): Match[] | null {
    this.#globals.lines = lines;
    try {
      return this.#script.runInContext(this.#globals, { timeout: FILE_MS });
    } catch (error) {
      if (isTooMuch(error)) return null;
      throw error;
    }
  }
}

/** Out of time, or out of stack or size: the errors of the other realm are known by their names only. */
function isTooMuch(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' || name === 'RangeError' || name === 'SyntaxError';
}

function withContext(lines: readonly string[], matches: readonly Match[], context: number): FoundLine[] {
  const at = new Map(matches);
  const shown = new Set<number>();
  for (const [index] of matches) {
    for (let near = index - context; near <= index + context; near++) shown.add(near);
  }
  return [...shown].flatMap(index => {
    const text = lines[index];
    return text === undefined ? [] : [{ number: index + 1, text, at: at.get(index) ?? null }];
  });
}

function tooSlow(files: readonly string[]): string {
  return `The pattern takes too long: more than ${FILE_MS} ms each in ${files.join(', ')}. Leave out nested repetition such as (a+)+ or .*.*, or search for a plain word first.`;
}
