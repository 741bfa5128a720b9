// Everything below a folder, so that a test can say that nothing changed: names, kinds, modes and contents.

import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A line a file, by path. */
export function diskSnapshot(root: string): Record<string, string> {
  if (!existsSync(root)) return {};
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(paths.map(path => [path, describe(join(root, path))]));
}

function describe(path: string): string {
  const stat = lstatSync(path);
  const mode = stat.mode.toString(8);
  if (stat.isSymbolicLink()) return `${mode} -> ${readlinkSync(path)}`;
  if (!stat.isFile()) return mode;
  return `${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
}
