// `new`: a folder with a spec to fill in.

import { copyFileSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EXIT, refuse } from '../base/errors.js';
import { makeFolder } from '../base/make-folder.js';
import { packageRoot } from '../base/package-root.js';
import { shellWord } from '../base/shell-word.js';

/** @returns the exit code. @throws LonghaulError `refused` when there is a spec already, or something else in the way. */
export async function newCommand({ dir }: { dir: string }): Promise<number> {
  const root = resolve(dir);
  const spec = join(root, 'spec.md');
  const next = `longhaul run ${shellWord(dir)} --no-sandbox`;
  if (existsSync(root) && !statSync(root).isDirectory()) throw refuse(`${root} is not a folder.`);
  if (existsSync(spec)) throw refuse(`${spec} exists already; edit it, then: ${next}`);
  if (existsSync(join(root, '.git')) && readdirSync(root).length > 1) {
    throw refuse(`${root} already holds a project; name a folder that does not exist yet.`);
  }
  makeFolder(root);
  copyFileSync(join(packageRoot, 'templates', 'spec.md'), spec);
  process.stdout.write(`Wrote ${spec}. Fill it in, then: ${next}\n`);
  return EXIT.done;
}
