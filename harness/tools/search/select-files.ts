// The files that a search looks into. One walk for both engines, so that they see the same ones.

import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { readAppFile, readAppFolder } from '../../workspace/app-files.js';
import { type AppPlace, isHarnessState } from '../../workspace/app-paths.js';
import { IgnoreRules } from './ignore-rules.js';
import type { Pace } from './pace.js';

/** Larger files are data, and for shell commands. */
export const MOST_FILE_BYTES = 4 * 1024 * 1024;
const MOST_FILES = 50_000;
const MODULES = 'node_modules';
const MOST_IGNORE_BYTES = 256 * 1024;

export interface Selection {
  /** Paths as seen from the app, sorted folder by folder. */
  files: string[];
  tooLarge: string[];
  /** Not all was looked at: too many files, or no time left. */
  partial: boolean;
}

/**
 * Files below a folder: no links, no `.git`, no node_modules, nothing that .gitignore names. A folder that is itself
 * among these is searched whole: whoever names it wants it.
 */
export async function selectFiles(
  folder: AppPlace,
  accepts: (relative: string) => boolean,
  pace: Pace,
): Promise<Selection> {
  const walk = new Walk(accepts, pace);
  const names = folder.relative === '' ? [] : folder.relative.split('/');
  await walk.enter(folder, names, rulesAbove(folder, names));
  return walk.selection;
}

class Walk {
  readonly selection: Selection = { files: [], tooLarge: [], partial: false };

  constructor(
    readonly accepts: (relative: string) => boolean,
    readonly pace: Pace,
  ) {}

  /** @param above rules of the folders above; null where everything counts. */
  async enter(folder: AppPlace, names: readonly string[], above: IgnoreRules | null): Promise<void> {
    if (!(await this.pace.goesOn()) || this.selection.files.length >= MOST_FILES) {
      this.selection.partial = true;
      return;
    }
    const read = readAppFolder(folder, at => entriesOf(at));
    // Gone or locked since its parent was read: the rest is still worth searching.
    if (!read.ok) return;
    const rules = above && rulesIn(folder, names, above);
    for (const entry of read.list) {
      const path = [...names, entry.name];
      const relative = path.join('/');
      if (entry.name === '.git' || isHarnessState(relative)) continue;
      if (rules && (entry.name === MODULES || rules.ignores(path, entry.isFolder))) continue;
      if (entry.isFolder) await this.enter(placeOf(folder.root, path), path, rules);
      else this.#take(relative, entry.bytes);
    }
  }

  #take(relative: string, bytes: number): void {
    if (!this.accepts(relative)) return;
    if (bytes > MOST_FILE_BYTES) this.selection.tooLarge.push(relative);
    else this.selection.files.push(relative);
  }
}

interface Entry {
  name: string;
  isFolder: boolean;
  bytes: number;
}

function entriesOf(at: string): Entry[] {
  return readdirSync(at, { withFileTypes: true })
    .flatMap(entry => describe(at, entry))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Nothing for links, devices and what has just gone. */
function describe(at: string, entry: Dirent): Entry[] {
  if (entry.isDirectory()) return [{ name: entry.name, isFolder: true, bytes: 0 }];
  const stats = entry.isFile() ? lstatSync(`${at}/${entry.name}`, { throwIfNoEntry: false }) : undefined;
  return stats?.isFile() ? [{ name: entry.name, isFolder: false, bytes: stats.size }] : [];
}

/** Rules that hold in a folder by those above it; null when the folder itself is left out, so that it is wanted whole. */
function rulesAbove(folder: AppPlace, names: readonly string[]): IgnoreRules | null {
  let rules = new IgnoreRules(null, [], '');
  for (let depth = 0; depth < names.length; depth++) {
    const above = names.slice(0, depth);
    rules = rulesIn(placeOf(folder.root, above), above, rules);
    if (names[depth] === MODULES || rules.ignores(names.slice(0, depth + 1), true)) return null;
  }
  return rules;
}

function rulesIn(folder: AppPlace, names: readonly string[], above: IgnoreRules): IgnoreRules {
  const read = readAppFile(placeOf(folder.root, [...names, '.gitignore']), MOST_IGNORE_BYTES);
  return read.ok ? new IgnoreRules(above, names, read.bytes.toString('utf8')) : above;
}

/** A place below one that was resolved; `app-files.ts` follows no link on the way there. */
export function placeOf(root: string, names: readonly string[]): AppPlace {
  return { ok: true, root, path: [root, ...names].join('/'), relative: names.join('/') };
}
