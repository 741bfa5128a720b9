// Whether a program can be found, without starting it.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program lies on `path` ($PATH), or null. A name with a slash is looked at as it is. */
export function findOnPath(program: string, path: string): string | null {
  const places = program.includes('/')
    ? [program]
    : path.split(delimiter).flatMap(folder => (folder ? [join(folder, program)] : []));
  return places.find(isProgram) ?? null;
}

export function isOnPath(program: string, path: string): boolean {
  return findOnPath(program, path) !== null;
}

/** A file that may be run; a folder of that name is none. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
