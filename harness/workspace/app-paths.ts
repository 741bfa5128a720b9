// Which path inside the app a path given by the model really leads to, or why it may not be used.

import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { systemCode } from '../base/errors.js';

/** A path that may be used. No part of it is a link; the last parts need not exist. */
export interface AppPlace {
  ok: true;
  /** Real path of the app. */
  root: string;
  /** Real, absolute path. */
  path: string;
  /** The same as seen from the app, with slashes; empty for the app itself. */
  relative: string;
}

/** Why a path cannot be used, as a sentence for the model. */
export interface PathRefusal {
  ok: false;
  reason: string;
}

/** As the kernel does it: more links than this in one path are a loop. */
const MAX_LINKS = 40;
const MAX_PATH_BYTES = 4095;
const MAX_NAME_BYTES = 255;

/**
 * Follows every link of `path` (absolute, or relative to the app) as the kernel would, and says where it ends. What can
 * be changed meanwhile by others is not settled here: `app-files.ts` opens the result without following links.
 */
export function resolveInside(
  appRoot: string,
  path: string,
  options: { forWriting: boolean },
): AppPlace | PathRefusal {
  const flaw = flawOf(path);
  if (flaw) return refusal(flaw);
  let root: string;
  let end: string;
  try {
    root = realpathSync.native(appRoot);
    // Joined as text: `join` would cancel `link/..` without looking where the link leads.
    end = asOnDisk(followLinks(isAbsolute(path) ? path : `${root}/${path}`));
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return refusal(
      `"${path}" cannot be resolved: ${UNRESOLVABLE[code] ?? `the system says ${code}`}. Use a path inside the app (${appRoot}).`,
    );
  }
  const inside = relativeInside(root, end);
  if (inside === null) {
    return refusal(
      `"${path}" leads to ${end}, which is outside the app. Only files inside ${root} can be used here.`,
    );
  }
  if (isHarnessState(inside)) {
    return refusal(
      `"${path}" belongs to the harness, which keeps its own state there. It cannot be read or written.`,
    );
  }
  if (options.forWriting && inside.split('/').some(isGitName)) {
    return refusal(
      `"${path}" lies in a git directory, where this tool does not write. Use git commands in the shell instead.`,
    );
  }
  if (options.forWriting && path.endsWith('/')) {
    return refusal(`"${path}" ends with a slash and so names a folder. Give the path of a file.`);
  }
  return { ok: true, root, path: end, relative: inside };
}

/** Whether a path, as seen from the app, lies in the harness's own state. */
export function isHarnessState(relativePath: string): boolean {
  const names = relativePath.split('/');
  return names.some((name, index) => isGitName(name) && names[index + 1]?.toLowerCase() === 'longhaul');
}

const UNRESOLVABLE: Record<string, string> = {
  ELOOP: 'its links form a loop',
  ENOTDIR: 'a part of it is a file, not a folder',
  EACCES: 'a part of it may not be entered by this user',
  ENAMETOOLONG: 'it is too long',
  ENOENT: 'the folder of the app is gone',
};

function flawOf(path: string): string | undefined {
  const shown = JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}…` : path);
  if (path.trim() === '') return 'The path is empty. Give the path of a file or folder inside the app.';
  if (path.includes('\0')) return `The path ${shown} contains a NUL character, which no file name can have.`;
  if (/\p{Surrogate}/u.test(path))
    return `The path ${shown} contains half of a character (a lone surrogate).`;
  if (path === '~' || path.startsWith('~/')) {
    return `The path ${shown} starts with ~, which is not expanded here. Give an absolute path or one relative to the app.`;
  }
  const tooLong =
    Buffer.byteLength(path) > MAX_PATH_BYTES ||
    path.split('/').some(name => Buffer.byteLength(name) > MAX_NAME_BYTES);
  if (tooLong) {
    return `The path ${shown} is too long: at most ${MAX_NAME_BYTES} bytes a name and ${MAX_PATH_BYTES} in all.`;
  }
  return undefined;
}

/** The path without links. Parts that do not exist stay as they are, also below a link whose target is missing. */
function followLinks(path: string): string {
  const pending = path.split('/');
  let at = '/';
  let links = 0;
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    if (!lookAt(next)?.isSymbolicLink()) {
      at = next;
      continue;
    }
    if (++links > MAX_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
    const target = readlinkSync(next);
    if (isAbsolute(target)) at = '/';
    pending.unshift(...target.split('/'));
  }
  return at;
}

/** Where the file system ignores case or unicode forms, names come out as they are stored, so that they can be compared. */
function asOnDisk(path: string): string {
  if (lookAt(path)) return realpathSync.native(path);
  const parent = dirname(path);
  return parent === path ? path : join(asOnDisk(parent), basename(path));
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** By parts of the path, not by its first letters: `app-evil` is not inside `app`. */
function relativeInside(root: string, path: string): string | null {
  const from = relative(root, path);
  if (from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from)) return null;
  return from.split(sep).join('/');
}

/** Characters that some file systems ignore in names. */
const IGNORED_IN_NAMES = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** `.git` in every spelling that some file system takes for it (ignored characters, short names, streams, final dots). */
function isGitName(name: string): boolean {
  return /^(\.git|git~1)[. ]*(:.*)?$/i.test(name.replace(IGNORED_IN_NAMES, ''));
}

function refusal(reason: string): PathRefusal {
  return { ok: false, reason };
}
