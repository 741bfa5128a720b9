// Small questions to the disk that several steps ask.

import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

/** The file's JSON, or undefined when it is missing or is not JSON. */
export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Whole or not at all: a reader never sees half of it. */
export function writeJson(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(value)}\n`);
  renameSync(draft, file);
}

/** The hash of a file's content, or `none` when it is missing. */
export function hashOf(file) {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch (error) {
    if (error.code === 'ENOENT') return 'none';
    throw error;
  }
}

export function isExecutableFile(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The folders of PATH. Relative ones are left out: they mean something else in every folder. */
export function pathFolders(env) {
  return (env.PATH ?? '').split(delimiter).filter(folder => isAbsolute(folder));
}

export function findOnPath(name, env) {
  return pathFolders(env)
    .map(folder => join(folder, name))
    .find(isExecutableFile);
}
