// Where this package lies on disk, both in the checkout (harness/) and when built (dist/).

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the package's root: the nearest folder above this file with a package.json. */
export const packageRoot: string = findRoot(dirname(fileURLToPath(import.meta.url)));

/** The `version` of package.json. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version;
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  return findRoot(dirname(folder));
}
