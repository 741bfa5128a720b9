// Reads and replaces files of the app so that a folder swapped for a link between check and use changes nothing.

import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { diskHelp, writeFileDurably } from '../base/atomic-file.js';
import { LonghaulError, systemCode } from '../base/errors.js';
import type { AppPlace } from './app-paths.js';

/** A regular file as it was at one moment. */
export interface AppFile {
  ok: true;
  bytes: Buffer;
  /** Compared before the file is replaced: an edit never overwrites a change that it has not seen. */
  version: FileVersion;
}

export type FileVersion = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs' | 'ctimeNs'>;

export interface FileRefusal {
  ok: false;
  kind: 'missing' | 'folder' | 'special' | 'too_large' | 'changed' | 'failed';
  /** A sentence for the model. */
  reason: string;
}

/** Reads a regular file of at most `maxBytes`. Never waits for a pipe and never opens a device. */
export function readAppFile(place: AppPlace, maxBytes: number): AppFile | FileRefusal {
  return guarded(place, 'read', () => {
    if (place.relative === '') return refusal('folder', `${place.path} is a folder.`);
    return inFolderOf(place, { make: false }, (at): AppFile | FileRefusal => {
      const unfit = unfitness(place.path, lstatSync(at, { throwIfNoEntry: false }));
      if (unfit) return unfit;
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
      const fd = openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const stats = fstatSync(fd, { bigint: true });
        if (!stats.isFile()) return changed(place.path);
        if (stats.size > maxBytes) {
          const reason = `${place.path} has ${stats.size} bytes, more than the ${maxBytes} that this tool handles. Use shell commands for it, such as sed -n '1,100p' or sed -i.`;
          return refusal('too_large', reason);
        }
        return { ok: true, bytes: readFileSync(fd), version: stats };
      } finally {
        closeSync(fd);
      }
    });
  });
}

/**
 * Replaces a file whole, keeping its mode. Without `seen` it may also be new, and missing folders are made; with `seen`
 * the file must still be the one that was read.
 */
export function writeAppFile(
  place: AppPlace,
  bytes: Uint8Array,
  seen?: FileVersion,
): { ok: true } | FileRefusal {
  return guarded(place, 'written', () => {
    if (place.relative === '') return refusal('folder', `${place.path} is a folder.`);
    return inFolderOf(place, { make: seen === undefined }, (at): { ok: true } | FileRefusal => {
      const look = () => {
        const now = lstatSync(at, { throwIfNoEntry: false, bigint: true });
        if (now && !now.isFile()) throw new Unfit(unfitness(place.path, now) ?? changed(place.path));
        if (seen && !now) throw new Unfit(missing(place.path));
        if (seen && now && !isSame(now, seen)) throw new Unfit(changed(place.path));
      };
      look();
      writeFileDurably(at, bytes, { beforeRename: look });
      return { ok: true };
    });
  });
}

/** Calls `list` with a path at which a folder of the app can be read. */
export function readAppFolder<T>(
  place: AppPlace,
  list: (at: string) => T,
): { ok: true; list: T } | FileRefusal {
  const itself = { ...place, relative: place.relative ? `${place.relative}/.` : '.' };
  return guarded(place, 'read', () => ({
    ok: true,
    list: inFolderOf(itself, { make: false }, list),
  }));
}

/** Stops a write before its rename; becomes its refusal again in `guarded`. */
class Unfit extends Error {
  constructor(readonly refusal: FileRefusal) {
    super(refusal.reason);
  }
}

/**
 * Calls `use` with a path of the place's entry that stays in the folder which the check saw, whatever is renamed
 * meanwhile. Linux only: the path goes through a descriptor of the folder, opened name by name from the app's root and
 * never through a link. Elsewhere the folder's real path is compared once more, which leaves a small window.
 */
export function inFolderOf<T>(
  place: AppPlace,
  options: { make: boolean; byDescriptor?: boolean },
  use: (at: string) => T,
): T {
  const names = place.relative.split('/');
  const last = names.pop() ?? '';
  if (!(options.byDescriptor ?? hasDescriptorPaths())) {
    const folder = join(place.root, ...names);
    if (options.make) mkdirSync(folder, { recursive: true });
    if (realpathSync.native(folder) !== folder) throw movedAway();
    return use(join(folder, last));
  }
  let fd = openFolder(place.root);
  try {
    for (const name of names) {
      const at = below(fd, name);
      if (options.make) makeFolder(at);
      const next = openFolder(at);
      closeSync(fd);
      fd = next;
    }
    return use(below(fd, last));
  } finally {
    closeSync(fd);
  }
}

function below(fd: number, name: string): string {
  return `/proc/self/fd/${fd}/${name}`;
}

function openFolder(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

function hasDescriptorPaths(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/fd');
}

/** What the kernel says when a link stands where a folder is asked for. */
function movedAway(): Error {
  return Object.assign(new Error('a folder became a link'), { code: 'ELOOP' });
}

/** Turns failures of the file system, which the model can often mend, into refusals. */
function guarded<T>(place: AppPlace, done: 'read' | 'written', act: () => T | FileRefusal): T | FileRefusal {
  try {
    return act();
  } catch (error) {
    if (error instanceof Unfit) return error.refusal;
    const cause = error instanceof LonghaulError && error.code === 'disk' ? error.cause : error;
    const code = systemCode(cause);
    if (code === undefined) throw error;
    if (code === 'ENOENT') return missing(place.path);
    if (code === 'ELOOP' || code === 'ENOTDIR') return changed(place.path);
    return refusal('failed', `${place.path} could not be ${done} (${code}): ${diskHelp(cause)}.`);
  }
}

function unfitness(path: string, stats: Stats | BigIntStats | undefined): FileRefusal | undefined {
  if (!stats) return missing(path);
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return refusal('folder', `${path} is a folder.`);
  if (stats.isSymbolicLink()) return changed(path);
  return refusal(
    'special',
    `${path} is ${specialKind(stats)}, not a file with text. This tool leaves it alone.`,
  );
}

function specialKind(stats: Stats | BigIntStats): string {
  if (stats.isFIFO()) return 'a named pipe (FIFO)';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

function isSame(now: FileVersion, seen: FileVersion): boolean {
  return (['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const).every(key => now[key] === seen[key]);
}

function missing(path: string): FileRefusal {
  return refusal('missing', `${path} does not exist.`);
}

function changed(path: string): FileRefusal {
  return refusal(
    'changed',
    `${path} or a folder above it was changed by something else at this very moment; nothing was done. Look at it again, then retry.`,
  );
}

function refusal(kind: FileRefusal['kind'], reason: string): FileRefusal {
  return { ok: false, kind, reason };
}
