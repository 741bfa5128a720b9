// The folder in which the runner works: a copy of the app's e2e/, our configuration, and our @playwright/test beside it.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LonghaulError, systemCode } from '../base/errors.js';
import { playwrightPackage } from './playwright-package.js';
import { type RunnerConfig, runnerConfigText } from './runner-config.js';

export interface SpecFolderRequest extends Omit<RunnerConfig, 'workFolder'> {
  /** Empty or absent. */
  workFolder: string;
  e2eFolder: string;
}

export type SpecFolderResult = { ok: true; workFolder: string } | { ok: false; problem: string };

export const CONFIG_FILE = 'playwright.config.mjs';

/** Failures that are the app's matter; a full disk, for one, is not. */
const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'];

const MOST_FILES = 500;
const MOST_BYTES = 20 * 1024 * 1024;

/** Names that would change what an import means or how the runner works. */
const NOT_COPIED = /^(node_modules|package(-lock)?\.json|[tj]sconfig.*\.json|playwright.*\.config\..*|\..*)$/;

export function makeSpecFolder(request: SpecFolderRequest): SpecFolderResult {
  mkdirSync(request.workFolder, { recursive: true });
  if (readdirSync(request.workFolder).length > 0)
    throw new LonghaulError('fault', `The work folder of a spec run must be empty: ${request.workFolder}.`);
  const workFolder = realpathSync(request.workFolder);
  const problem = copySpecs(request.e2eFolder, join(workFolder, 'e2e'), request.files);
  if (problem !== null) return { ok: false, problem };
  writeOurPackage(join(workFolder, 'node_modules', '@playwright', 'test'));
  writeFileSync(join(workFolder, 'package.json'), '{ "private": true }\n');
  // The first one above a spec counts, and one of somebody else could send its imports elsewhere.
  writeFileSync(join(workFolder, 'tsconfig.json'), '{ "compilerOptions": {} }\n');
  writeFileSync(join(workFolder, CONFIG_FILE), runnerConfigText({ ...request, workFolder }));
  return { ok: true, workFolder };
}

/** Returns why it cannot be done, or null. Links are left out: they could bring in what is not the app's. */
function copySpecs(from: string, to: string, files: readonly string[]): string | null {
  const copied = new Set<string>();
  const links: string[] = [];
  let bytes = 0;
  const visit = (folder: string) => {
    mkdirSync(join(to, folder), { recursive: true });
    for (const entry of readdirSync(join(from, folder), { withFileTypes: true })) {
      const name = join(folder, entry.name);
      if (NOT_COPIED.test(entry.name) || copied.size >= MOST_FILES || bytes > MOST_BYTES) continue;
      if (entry.isDirectory()) visit(name);
      else if (entry.isSymbolicLink()) links.push(name);
      else if (entry.isFile()) {
        const content = readRegularFile(join(from, name), MOST_BYTES - bytes);
        bytes += content?.length ?? MOST_BYTES + 1;
        if (content) writeFileSync(join(to, name), content);
        copied.add(name);
      }
    }
  };
  try {
    if (lstatSync(from).isSymbolicLink()) return 'e2e/ is a link. Make it a folder with the specs in it.';
    visit('');
  } catch (error) {
    if (!UNREADABLE.includes(systemCode(error) ?? '')) throw error;
    return `e2e/ could not be read (${systemCode(error)}). It must be a folder of the app with the specs in it.`;
  }
  if (copied.size >= MOST_FILES || bytes > MOST_BYTES)
    return `e2e/ holds more than ${MOST_FILES} files or ${MOST_BYTES / 1024 / 1024} MB. Keep only specs, their helpers and small fixtures in it.`;
  const missing = files.filter(file => !copied.has(join(file)));
  if (missing.length === 0) return null;
  const linked = missing.filter(file => links.includes(join(file)));
  if (linked.length > 0) return `${listed(linked)} is a link. Make it a regular file.`;
  return `${listed(missing)} does not exist. Write it first.`;
}

function listed(files: readonly string[]): string {
  return files.map(file => `e2e/${file}`).join(', ');
}

/** Null when it is larger. The name was a regular file a moment ago; a link or a pipe in its place is not opened. */
function readRegularFile(path: string, mostBytes: number): Buffer | null {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= mostBytes ? readFileSync(fd) : null;
  } finally {
    closeSync(fd);
  }
}

/** `@playwright/test` itself is nothing but this. */
function writeOurPackage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "@playwright/test", "main": "index.js" }\n');
  writeFileSync(
    join(folder, 'index.js'),
    `module.exports = require(${JSON.stringify(playwrightPackage().test)});\n`,
  );
}
