// Lock files that a killed git left behind. Removed only by the holder of the run, after all earlier processes are gone.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Removes every stale `*.lock` that blocks commits; returns their paths relative to the git directory. */
export function removeStaleGitLocks(gitDir: string): string[] {
  const top = readdirSync(gitDir)
    .filter(name => name.endsWith('.lock'))
    .map(name => join(gitDir, name));
  const refs = existsSync(join(gitDir, 'refs'))
    ? readdirSync(join(gitDir, 'refs'), { recursive: true, encoding: 'utf8' })
        .filter(name => name.endsWith('.lock'))
        .map(name => join(gitDir, 'refs', name))
    : [];
  const locks = [...top, ...refs];
  for (const lock of locks) rmSync(lock, { force: true });
  return locks.map(lock => relative(gitDir, lock));
}
