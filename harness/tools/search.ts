// search: finds lines by a regular expression in the app's files, with ripgrep when it is there and by ourselves otherwise.

import { realpathSync } from 'node:fs';
import { type Clock, systemClock } from '../base/clock.js';
import { readAppFile } from '../workspace/app-files.js';
import { type AppPlace, resolveInside } from '../workspace/app-paths.js';
import type { Room } from '../workspace/room.js';
import type { Found, Query } from './search/found.js';
import { globTest, withoutBraces } from './search/glob.js';
import { searchByOurselves } from './search/own-engine.js';
import { Pace } from './search/pace.js';
import { searchWithRipgrep } from './search/ripgrep.js';
import { MOST_FILE_BYTES, type Selection, selectFiles } from './search/select-files.js';
import { counted, MOST_LIMIT, showFound, shownPath } from './search/show-found.js';
import { decodeFile } from './text-editor/text-file.js';
import type { Tool, ToolFace, ToolResult } from './tool.js';

export interface SearchToolOptions {
  appRoot: string;
  /** Where ripgrep runs; without one it is a plain child of the harness. It never runs code of the app. */
  room?: Room;
  /** The text of `prompts/tools/search.md`. */
  description: string;
  /** Absolute path of ripgrep, or null when there is none. */
  rg: string | null;
  clock?: Clock;
}

interface SearchInput {
  pattern: string;
  path?: string;
  glob?: string;
  mode?: 'content' | 'files';
  ignoreCase?: boolean;
  context?: number;
  limit?: number;
}

const INTERRUPTED = 'The session was interrupted; the search was stopped.';
const DEADLINE_MS = 20_000;
const DEFAULT_LIMIT = 100;
const MOST_CONTEXT = 5;
const NAMED_FILES = 3;

export function searchFace(description: string): ToolFace {
  return {
    name: 'search',
    description,
    schema: {
      type: 'object',
      properties: {
        pattern: { type: 'string', maxLength: 2_000 },
        path: { type: 'string' },
        glob: { type: 'string', maxLength: 300 },
        mode: { type: 'string', enum: ['content', 'files'] },
        ignoreCase: { type: 'boolean' },
        context: { type: 'integer', minimum: 0, maximum: MOST_CONTEXT },
        limit: { type: 'integer', minimum: 1, maximum: MOST_LIMIT },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
  };
}

export function searchTool(options: SearchToolOptions): Tool {
  // Fixed here: a link put in the place of the app's folder later leads nowhere.
  const root = realpathSync.native(options.appRoot);
  return {
    ...searchFace(options.description),
    access: () => 'read',
    run: (input, signal) => search(input as SearchInput, { ...options, root, signal }),
  };
}

type SearchParts = SearchToolOptions & { root: string; signal: AbortSignal };

async function search(input: SearchInput, parts: SearchParts): Promise<ToolResult> {
  const flaw = flawOf(input.pattern);
  if (flaw) return failure(flaw);
  const { root, signal } = parts;
  const place = resolveInside(root, input.path ?? '.', { forWriting: false });
  if (!place.ok) return failure(place.reason);
  if (place.root !== root) return failure(`The folder of the app, ${root}, is not there any more.`);

  const pace = new Pace(parts.clock ?? systemClock, DEADLINE_MS, signal);
  const selected = await select(place, input.glob, pace);
  if (signal.aborted) return failure(INTERRUPTED);
  if ('text' in selected) return selected;
  if (selected.files.length === 0) return { text: nothingToSearch(selected, place, input.glob) };
  const { mode = 'content', limit = DEFAULT_LIMIT, context = 0, ignoreCase = false } = input;
  const wanted = mode === 'content' ? { context, keep: limit } : { context: 0, keep: 0 };
  const query = { pattern: input.pattern, ignoreCase, ...wanted };
  const outcome = await searchFiles(query, selected.files, pace, parts);
  if (signal.aborted) return failure(INTERRUPTED);
  if (!outcome.ok) return failure(outcome.problem);
  const where = whereOf(selected, place, input.glob);
  return { text: showFound({ found: outcome.found, mode, limit, root, where, notes: notesOn(selected) }) };
}

async function searchFiles(
  query: Query,
  files: readonly string[],
  pace: Pace,
  { rg, root, room }: SearchParts,
): Promise<{ ok: true; found: Found } | { ok: false; problem: string }> {
  const found = rg === null ? null : await searchWithRipgrep(query, files, { rg, root, room, pace });
  return found ? { ok: true, found } : searchByOurselves(query, files, { root, pace });
}

function flawOf(pattern: string): string | undefined {
  if (pattern === '') {
    return 'The pattern is empty. To list files by name, take the pattern "." with a glob and "mode": "files".';
  }
  if (pattern.includes('\0')) return 'The pattern contains a NUL character, which no text file holds.';
  if (pattern.includes('\n')) {
    return 'The pattern contains a line break, but a search goes line by line. Search for one of the lines, or for several things at once with a|b.';
  }
  return undefined;
}

/** The files of a folder that fit the glob, or the one file that the path names. */
async function select(
  place: AppPlace,
  glob: string | undefined,
  pace: Pace,
): Promise<Selection | ToolResult> {
  const file = readAppFile(place, MOST_FILE_BYTES);
  if (file.ok) {
    const text = decodeFile(file.bytes);
    if (text.kind === 'binary' && text.what !== 'UTF-16 text') {
      return { text: `${place.path} is ${text.what} (binary): not searched.` };
    }
    return { files: [place.relative], tooLarge: [], partial: false };
  }
  if (file.kind === 'missing') {
    return failure(`${file.reason} Leave path out to search the whole app.`);
  }
  if (file.kind !== 'folder') return failure(file.reason);
  const accepts = globFilter(glob, place);
  if (accepts === null) return failure(`The glob ${glob} has too many alternatives in braces.`);
  return selectFiles(place, accepts, pace);
}

/** A glob may be meant from the app or from the folder that is searched; both count. Null: too many braces. */
function globFilter(glob: string | undefined, place: AppPlace): ((relative: string) => boolean) | null {
  if (glob === undefined || glob.trim() === '') return () => true;
  const negated = glob.startsWith('!');
  const body = glob.slice(negated ? 1 : 0).replace(`${place.root}/`, '');
  const globs = withoutBraces(body.endsWith('/') ? `${body}**` : body);
  if (globs === null) return null;
  const tests = globs.map(globTest);
  const depth = place.relative === '' ? 0 : place.relative.split('/').length;
  return relative => {
    const names = relative.split('/');
    return tests.some(test => test(names) || test(names.slice(depth))) !== negated;
  };
}

function whereOf({ files }: Selection, place: AppPlace, glob: string | undefined): string {
  if (files[0] === place.relative) return place.path;
  return `${counted(files.length, 'file')}${glob ? ` that fit ${glob}` : ''} below ${place.path}`;
}

function nothingToSearch(selected: Selection, place: AppPlace, glob: string | undefined): string {
  const what = glob
    ? `No file below ${place.path} fits the glob ${glob}. One without a slash, such as *.ts, fits at any depth; one with a slash starts at the app or at path.`
    : `There is no file to search below ${place.path}.`;
  const leftOut =
    'What .gitignore names and node_modules are left out, unless path leads into such a folder.';
  return [`${what} ${leftOut}`, ...notesOn(selected).map(note => `[${note}]`)].join('\n');
}

function notesOn({ tooLarge, partial }: Selection): string[] {
  const notes: string[] = [];
  if (partial) notes.push('There are too many files to look at each of them. Name a folder with path.');
  if (tooLarge.length > 0) {
    const named = tooLarge.slice(0, NAMED_FILES).map(shownPath).join(', ');
    const more = tooLarge.length - NAMED_FILES;
    notes.push(
      `Larger than ${MOST_FILE_BYTES / 1024 / 1024} MB and not searched: ${named}${more > 0 ? ` and ${more} more` : ''}. grep in the shell can.`,
    );
  }
  return notes;
}

function failure(text: string): ToolResult {
  return { text, isError: true };
}
