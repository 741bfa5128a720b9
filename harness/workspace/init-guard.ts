// Keeps init.sh in its place. An agent may change it, but without it no later session can bring the app up.

import { chmodSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileDurably } from '../base/atomic-file.js';
import type { Journal } from '../journal/journal.js';
import { type App, FEATURES_FILE, INIT_FILE } from './app.js';
import { type CommitDeps, commitPlan } from './commit.js';
import type { Git } from './git.js';

/** Commits from which init.sh can be taken again. */
export interface KnownInit {
  /** From before whoever may have removed it: where the session began. */
  base: string;
  /** Where it was last seen to bring the app up. */
  proved: string;
}

interface InitFile {
  content: string;
  executable: boolean;
}

const RUNNABLE = '100755';
const PLAIN = '100644';
const NOT_RUNNABLE = 'it could not be run any more (chmod)';

/**
 * Puts init.sh on disk back when it is gone, empty or no longer executable; what else it says is left to
 * `verify_feature`. Returns what was found, for people and the model, or null when all was well.
 */
export async function restoreInit(
  { app, journal }: { app: App; journal: Journal },
  known: KnownInit,
  session: number | null,
): Promise<string | null> {
  const found = await putBackOnDisk(app, known);
  if (found !== null) journal.append({ type: 'init.restored', session, found });
  return found;
}

/**
 * When commits of others left no init.sh that could be run, a commit on top puts it back, on disk too. Returns what was
 * found, or null when all was well.
 * @param listText features.json as it must be: a commit of the harness never holds another one.
 */
export async function restoreCommittedInit(
  deps: CommitDeps & { now: number },
  { known, listText, session }: { known: KnownInit; listText: string; session: number | null },
): Promise<string | null> {
  const { git } = deps.app;
  const head = await git.head();
  const found = await flawInCommit(git, head, known);
  if (found === null) return null;
  const whole = await newestWhole(git, [head, known.base, known.proved]);
  if (whole === null) return null;
  const executable = whole.executable || (await wasRunnable(git, known));
  const tree = await git.patchTree(head, [
    { path: FEATURES_FILE, content: listText },
    { path: INIT_FILE, content: whole.content, executable },
  ]);
  deps.journal.append({ type: 'init.restored', session, found: `in a commit: ${found}` });
  const message = 'Put init.sh back: without it no session can bring the app up';
  const outcome = await commitPlan(
    deps,
    { base: head, tree, dateMs: deps.now, message },
    { kind: 'init_file' },
    session,
  );
  if (!outcome.done) return null;
  await putBackOnDisk(deps.app, known);
  return found;
}

async function putBackOnDisk({ root, git }: App, known: KnownInit): Promise<string | null> {
  const path = join(root, INIT_FILE);
  const found = await flawOnDisk(git, path, known);
  if (found === null) return null;
  if (found === NOT_RUNNABLE) {
    chmodSync(path, 0o755);
    return found;
  }
  const whole = await newestWhole(git, [await git.head(), known.base, known.proved]);
  if (whole === null) return null;
  rmSync(path, { recursive: true, force: true });
  writeFileDurably(path, whole.content, { mode: whole.executable ? 0o755 : 0o644 });
  return found;
}

async function flawOnDisk(git: Git, path: string, known: KnownInit): Promise<string | null> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return 'it was removed';
  if (!found.isFile()) return 'a link or folder was in its place';
  if (readFileSync(path, 'utf8').trim() === '') return 'it was empty';
  // The owner's bit is the one that git keeps.
  return (found.mode & 0o100) === 0 && (await wasRunnable(git, known)) ? NOT_RUNNABLE : null;
}

async function flawInCommit(git: Git, commit: string, known: KnownInit): Promise<string | null> {
  const mode = await git.modeOf(commit, INIT_FILE);
  if (mode === null) return 'it was removed';
  if (mode !== PLAIN && mode !== RUNNABLE) return 'a link or folder was in its place';
  if ((await git.readFile(commit, INIT_FILE))?.trim() === '') return 'it was empty';
  return mode === PLAIN && (await wasRunnable(git, known)) ? NOT_RUNNABLE : null;
}

async function wasRunnable(git: Git, { proved }: KnownInit): Promise<boolean> {
  return (await git.modeOf(proved, INIT_FILE)) === RUNNABLE;
}

/** Null when none of the commits has one: the start of a run always does. */
async function newestWhole(git: Git, commits: readonly string[]): Promise<InitFile | null> {
  for (const commit of commits.filter(each => each !== '')) {
    const mode = await git.modeOf(commit, INIT_FILE);
    if (mode !== PLAIN && mode !== RUNNABLE) continue;
    const content = await git.readFile(commit, INIT_FILE);
    if (content !== null && content.trim() !== '') return { content, executable: mode === RUNNABLE };
  }
  return null;
}
