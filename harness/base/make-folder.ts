// Makes a folder with those above it, one level after another: Node's own recursive way never ends below /proc.

import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, refuse, systemCode } from './errors.js';

/**
 * Safe to repeat.
 * @throws LonghaulError `refused` when it cannot be made; what was made on the way there is gone again.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  let there = path;
  for (; !existsSync(there) && dirname(there) !== there; there = dirname(there)) missing.unshift(there);
  if (!statSync(there).isDirectory()) throw cannot(path, `${there} is not a folder`);
  const made: string[] = [];
  for (const folder of missing) {
    try {
      mkdirSync(folder);
      made.unshift(folder);
    } catch (error) {
      if (systemCode(error) === 'EEXIST' && existsSync(folder)) continue; // Somebody else was faster.
      made.forEach(takeBack);
      throw cannot(path, messageOf(error));
    }
  }
}

function takeBack(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else uses it by now.
  }
}

function cannot(path: string, why: string) {
  return refuse(`The folder ${path} cannot be made: ${why}. Name a folder where you may write.`);
}
