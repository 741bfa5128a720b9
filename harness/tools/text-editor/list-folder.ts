// A folder as the model sees it: two levels of names, without hidden ones and installed packages.

import { type Dirent, readdirSync, readlinkSync } from 'node:fs';
import { messageOf, systemCode } from '../../base/errors.js';
import { isHarnessState } from '../../workspace/app-paths.js';
import { VIEW_LIMIT } from './show-lines.js';

const LEVELS = 2;
const LEFT_OUT = new Set(['node_modules']);

/**
 * Names below a folder, one a line, folders with a slash at the end, links with their target. Follows no link. `at` is
 * where the folder is read, `relative` where it lies in the app.
 */
export function listFolder(at: string, relative: string): string {
  const lines = entriesOf({ at, relative, prefix: '' }, LEVELS);
  if (lines.length === 0) return '(empty, or only hidden entries)';
  let length = 0;
  const fitting = lines.findIndex(line => {
    length += line.length + 1;
    return length > VIEW_LIMIT;
  });
  if (fitting < 0) return lines.join('\n');
  return `${lines.slice(0, fitting).join('\n')}\n[${lines.length - fitting} more entries; view a folder below this one]`;
}

interface Folder {
  at: string;
  relative: string;
  /** What its entries' names are shown behind. */
  prefix: string;
}

function entriesOf(folder: Folder, levels: number): string[] {
  return readdirSync(folder.at, { withFileTypes: true })
    .filter(entry => !entry.name.startsWith('.') && !LEFT_OUT.has(entry.name))
    .filter(entry => !isHarnessState(`${folder.relative}/${entry.name}`))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => [
      folder.prefix + describe(folder.at, entry),
      ...(entry.isDirectory() && levels > 1 ? entriesBelow(folder, entry.name, levels - 1) : []),
    ]);
}

function entriesBelow(folder: Folder, name: string, levels: number): string[] {
  const prefix = `${folder.prefix}${shown(name)}/`;
  try {
    return entriesOf({ at: `${folder.at}/${name}`, relative: `${folder.relative}/${name}`, prefix }, levels);
  } catch (error) {
    // Locked, or gone since its parent was read: the rest of the list is still worth showing.
    return [`${prefix} (not readable: ${systemCode(error) ?? messageOf(error)})`];
  }
}

function describe(folder: string, entry: Dirent): string {
  if (entry.isDirectory()) return `${shown(entry.name)}/`;
  if (entry.isSymbolicLink())
    return `${shown(entry.name)} -> ${shown(readlinkSync(`${folder}/${entry.name}`))}`;
  return shown(entry.name);
}

/** A name with line breaks must not look like two entries. */
function shown(name: string): string {
  return /[\x00-\x1f\x7f]/.test(name) ? JSON.stringify(name) : name;
}
