// The app: the repository being built, where its parts lie, and whether a folder may become or is one.

import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { refuse } from '../base/errors.js';
import { makeFolder } from '../base/make-folder.js';
import { Git } from './git.js';

/** Files that the harness knows by name, relative to the app's root. */
export const FEATURES_FILE = 'features.json';
export const PROGRESS_FILE = 'claude-progress.txt';
export const SPEC_FILE = 'app_spec.md';
export const INIT_FILE = 'init.sh';
export const APP_CONFIG_FILE = 'longhaul.config.json';
export const E2E_FOLDER = 'e2e';

/** The branch of a repository that the harness makes. */
const FIRST_BRANCH = 'main';

/** An app on disk. All paths are absolute and real. */
export interface App {
  root: string;
  git: Git;
  gitDir: string;
  /** The harness's own folder in the git directory; see `docs/architecture.md`. */
  state: string;
  journal: string;
}

/** What a person may have laid into a folder before the first run. */
const WELCOME_NAMES =
  /^(licen[cs]e|copying|readme|notice|\.git|\.gitignore|\.gitattributes|\.ds_store|longhaul\.config\.json)$/i;
const WELCOME_EXTENSIONS = new Set(
  '.md .txt .pdf .png .jpg .jpeg .gif .webp .svg .ico .woff .woff2 .ttf .otf .csv .mp3 .mp4'.split(' '),
);

/** True when a run was begun in this folder. */
export function hasRun(root: string): boolean {
  return existsSync(journalOf(root));
}

/** Path of the journal of a run in this folder, whether there is one or not. */
export function journalOf(root: string): string {
  return join(root, '.git', 'longhaul', 'journal.jsonl');
}

/**
 * Why a new run may not begin in `root`, as the end of a sentence; null when it may: the folder does not exist, is
 * empty, or holds nothing but a spec, pictures, fonts and a licence. Changes nothing.
 */
export async function whyNotNew(
  root: string,
  host: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  if (!existsSync(root)) return null;
  if (!statSync(root).isDirectory()) return 'it is not a folder';
  if (['HEAD', 'objects', 'refs'].every(name => existsSync(join(root, name))))
    return 'it is a bare repository';
  const strange = readdirSync(root).filter(name => !isWelcome(root, name));
  if (strange.length > 0)
    return `it already holds ${strange.slice(0, 3).join(', ')}${strange.length > 3 ? ', …' : ''}`;
  if (existsSync(join(root, '.git')) && (await new Git(root, host).head()) !== '')
    return 'its repository already has commits';
  return null;
}

/** Makes the folder a repository with a place for the harness's state. Safe to repeat. */
export async function prepareApp(
  root: string,
  host: Readonly<Record<string, string | undefined>>,
): Promise<App> {
  makeFolder(root);
  // Before git: where nothing may be written it is told by a sentence of ours.
  makeFolder(join(root, '.git', 'longhaul'));
  if (!existsSync(join(root, '.git', 'HEAD'))) await new Git(root, host).init(FIRST_BRANCH);
  return openApp(root, host);
}

/**
 * Opens a folder in which a run was begun.
 * @throws LonghaulError `refused` when it is not the root of an ordinary repository.
 */
export async function openApp(
  path: string,
  host: Readonly<Record<string, string | undefined>>,
): Promise<App> {
  const root = realpathSync(resolve(path));
  const dotGit = join(root, '.git');
  if (!existsSync(dotGit))
    throw refuse(`${path} is not the root of a git repository, so no run can live in it.`);
  if (!lstatSync(dotGit).isDirectory()) {
    throw refuse(`${path} is a submodule or a linked worktree; use the root of an ordinary clone.`);
  }
  if (existsSync(join(dotGit, 'shallow')))
    throw refuse(`${path} is a shallow clone; run \`git fetch --unshallow\` in it first.`);
  const state = join(dotGit, 'longhaul');
  return { root, git: new Git(root, host), gitDir: dotGit, state, journal: join(state, 'journal.jsonl') };
}

function isWelcome(root: string, name: string): boolean {
  if (WELCOME_NAMES.test(name) || WELCOME_EXTENSIONS.has(extname(name).toLowerCase())) return true;
  const path = join(root, name);
  return (
    lstatSync(path).isDirectory() &&
    !['node_modules', 'src'].includes(basename(path)) &&
    readdirSync(path).every(inner => isWelcome(path, inner))
  );
}
