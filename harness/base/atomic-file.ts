// Files that are old or new after a crash, never half: temp file, fsync, rename, fsync of the folder.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { LonghaulError, messageOf, systemCode } from './errors.js';

/** Name of a temp file of ours. One that is found lying about was left by a process that was killed: safe to remove. */
export const TEMPORARY_FILE = /^\.longhaul-[0-9a-f]{24}\.tmp$/;

export interface DurableWriteOptions {
  /** Mode of the file afterwards. Default: the old file's, or what the umask leaves of 0666. */
  mode?: number;
  /** A last look at what is about to be replaced. What it throws is passed on, and the old file stays. */
  beforeRename?: () => void;
}

/**
 * Replaces or creates a file; when it returns, the new content survives a power cut. A link at `path` is replaced, not
 * followed: resolve it first where the target is meant.
 * @throws LonghaulError `disk`; the old file is untouched unless the message says otherwise.
 */
export function writeFileDurably(
  path: string,
  data: string | Uint8Array,
  options: DurableWriteOptions = {},
): void {
  const folder = dirname(path);
  // Unpredictable and exclusive: nobody can plant a link at this name. Short, so that long names still fit.
  const temporary = join(folder, `.longhaul-${randomBytes(12).toString('hex')}.tmp`);
  try {
    const old = lstatSync(path, { throwIfNoEntry: false });
    const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666);
    try {
      try {
        writeFileSync(fd, data);
        keepOwnerAndMode(fd, old?.isFile() ? old : undefined, options.mode);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      options.beforeRename?.();
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  } catch (error) {
    throw diskError(`${path} could not be written`, error);
  }
  try {
    syncFolder(folder);
  } catch (error) {
    throw diskError(`${path} was replaced, but that may not survive a power cut`, error);
  }
}

/**
 * The content of a file, or undefined when there is none. Any other failure is never taken for "there is none".
 * @throws LonghaulError `disk`.
 */
export function readIfExists(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw diskError(`${path} could not be read`, error);
  }
}

/** Makes the names in a folder durable. Throws what the system threw. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } catch (error) {
    // Some network and shared file systems do not know this call for folders; there is nothing to wait for then.
    if (!['EINVAL', 'ENOTSUP'].includes(systemCode(error) ?? '')) throw error;
  } finally {
    closeSync(fd);
  }
}

const HELP: Record<string, string> = {
  ENOSPC: 'free some space on that disk',
  EDQUOT: "free some of the user's quota",
  EROFS: 'that file system is mounted read-only; mount it for writing',
  EACCES: 'give this user access to the file and its folder',
  EPERM: 'give this user access to the file and its folder',
  ENOENT: 'create its folder first',
  ENOTDIR: 'a part of the path is a file; use another path',
  EISDIR: 'a folder is in the way; use another path or remove it',
  ENOTEMPTY: 'a folder is in the way; use another path or remove it',
  ENAMETOOLONG: 'use a shorter name',
  EMFILE: 'raise the limit of open files (ulimit -n)',
  ENFILE: 'raise the limit of open files of this machine',
};

/** What would help against a failed file operation, as the end of a sentence. */
export function diskHelp(error: unknown): string {
  return HELP[systemCode(error) ?? ''] ?? 'check the disk';
}

function keepOwnerAndMode(fd: number, old: Stats | undefined, mode: number | undefined): void {
  if (old) {
    const now = fstatSync(fd);
    if (now.uid !== old.uid || now.gid !== old.gid) {
      try {
        fchownSync(fd, old.uid, old.gid);
      } catch (error) {
        // Only root may give files away; for others the new file is theirs, as with any editor that renames.
        if (systemCode(error) !== 'EPERM') throw error;
      }
    }
  }
  // After chown, which clears the set-id bits.
  const wanted = mode ?? (old && old.mode & 0o7777);
  if (wanted !== undefined) fchmodSync(fd, wanted);
}

function diskError(what: string, cause: unknown): unknown {
  if (systemCode(cause) === undefined) return cause;
  return new LonghaulError('disk', `${what} (${messageOf(cause)}): ${diskHelp(cause)}.`, { cause });
}
