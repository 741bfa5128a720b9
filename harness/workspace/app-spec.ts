// The app spec: one file, or a folder with a spec and what belongs to it; read once, copied into the app, known by its hash.

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { size } from '../base/amounts.js';
import { writeFileDurably } from '../base/atomic-file.js';
import { refuse } from '../base/errors.js';
import { SPEC_FILE } from './app.js';

/** Where the other files of a spec folder go, relative to the app. */
export const SPEC_FOLDER = 'app_spec';

export interface AppSpec {
  text: string;
  /** The other files of a folder: paths relative to `app_spec/`. */
  files: { path: string; content: Buffer }[];
  /** SHA-256 over text and files. */
  sha256: string;
}

/** Mock-ups and texts, no archives: a model cannot look at more. */
const MOST_FILES = 200;
const MOST_BYTES = 50 * 1024 * 1024;
/** Of the text itself: some 250,000 words, more than any session can read. */
const MOST_TEXT_BYTES = 1024 * 1024;

/**
 * Reads a spec file, or a folder that holds `spec.md` (or a single .md file) and other files.
 * @throws LonghaulError `refused` with one sentence.
 */
export function readAppSpec(path: string): AppSpec {
  if (!existsSync(path)) throw refuse(`The spec ${path} does not exist.`);
  const isFolder = statSync(path).isDirectory();
  const main = isFolder ? mainFile(path) : path;
  const text = readText(main);
  if (text.trim() === '')
    throw refuse(`The spec ${main} is empty. Describe the app: who uses it, its pages, its data, its look.`);
  return appSpec(text, isFolder ? readOthers(path, basename(main)) : []);
}

/** A changed text with the other files as they lie in the app. */
export function withText(root: string, text: string): AppSpec {
  const folder = join(root, SPEC_FOLDER);
  return appSpec(text, existsSync(folder) ? readOthers(folder, null) : []);
}

function appSpec(text: string, files: AppSpec['files']): AppSpec {
  const hash = createHash('sha256').update(text, 'utf8');
  for (const file of files) hash.update(`\0${file.path}\0`).update(file.content);
  return { text, files, sha256: hash.digest('hex') };
}

/** Copies the spec into the app: `app_spec.md`, and the other files below `app_spec/`. */
export function writeAppSpec(root: string, { text, files }: AppSpec): void {
  writeFileDurably(join(root, SPEC_FILE), text);
  for (const { path, content } of files) {
    const target = join(root, SPEC_FOLDER, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileDurably(target, content);
  }
}

function readText(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile()) throw refuse(`The spec ${path} is not a file.`);
  if (stat.size > MOST_TEXT_BYTES) {
    throw refuse(
      `The spec ${path} is ${size(stat.size)} of text; a spec has at most 1 MB. Keep what the app must do, and put long data into files beside it.`,
    );
  }
  const bytes = readFileSync(path);
  if (!isUtf8(bytes) || bytes.includes(0)) {
    throw refuse(
      `The spec ${path} is not a text in UTF-8. Save it as plain text or Markdown; pictures go beside it in a folder.`,
    );
  }
  return bytes.toString('utf8');
}

function mainFile(folder: string): string {
  const names = readdirSync(folder);
  const texts = names.filter(name => name.toLowerCase().endsWith('.md'));
  const named =
    texts.find(name => name.toLowerCase() === 'spec.md') ?? (texts.length === 1 ? texts[0] : undefined);
  if (named !== undefined) return join(folder, named);
  throw refuse(
    texts.length === 0
      ? `The folder ${folder} holds no spec.md. Put the spec there, beside its pictures.`
      : `The folder ${folder} holds ${texts.length} texts (${texts.slice(0, 3).join(', ')}) and none is spec.md; name the main one spec.md.`,
  );
}

/** @param main name of the spec itself, or null when the folder holds none. */
function readOthers(folder: string, main: string | null): AppSpec['files'] {
  const files: AppSpec['files'] = [];
  let bytes = 0;
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (path === main || path.split(/[\\/]/).some(part => part.startsWith('.'))) continue;
    const full = join(folder, path);
    if (!existsSync(full) || !statSync(full).isFile()) continue;
    bytes += statSync(full).size;
    if (files.length >= MOST_FILES || bytes > MOST_BYTES) {
      throw refuse(
        `The spec folder ${folder} holds more than ${MOST_FILES} files or 50 MB; keep what the app's builder must see.`,
      );
    }
    files.push({ path, content: readFileSync(full) });
  }
  return files;
}
