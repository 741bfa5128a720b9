// While no session is open, the app is a person's: commits are kept, edits are shown and never touched, and a changed list
// or app spec is an amendment that only `longhaul amend` takes. Without init.sh nothing could go on, so that comes back.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { count } from '../base/amounts.js';
import { LonghaulError, refuse } from '../base/errors.js';
import { shellWord } from '../base/shell-word.js';
import { FEATURES_FILE, INIT_FILE } from '../workspace/app.js';
import { commitPlan } from '../workspace/commit.js';
import { readCanonicalList, restoreCommittedList, restoreList } from '../workspace/list-guard.js';
import { findAmendment } from './find-amendment.js';
import type { RunDeps } from './run-deps.js';
import { putInitBack } from './tidy-tree.js';

/** How many changed files a record of a person's commits names. */
const MOST_FILES = 20;

/**
 * What of `takePersonsWork` refuses a start, looked at before anything is written. Not while something is open that a crash
 * left: what lies in the folder may be its.
 * @throws LonghaulError `refused`; `damage`, which `takePersonsWork` records.
 */
export async function refuseUntaken(
  deps: Pick<RunDeps, 'app' | 'journal' | 'branch' | 'mine'>,
): Promise<void> {
  const { app, journal } = deps;
  const { lastCommit, contractSha256, open, pendingCommit, pendingFlip } = journal.state;
  if (lastCommit === null || contractSha256 === null || open || pendingCommit || pendingFlip) return;
  await checkBranch(deps, lastCommit);
  await refuseAmendment(deps);
  if (deps.mine !== null) return;
  // These are put back, and then differ no longer.
  const comesBack = (path: string) =>
    path === FEATURES_FILE || (path === INIT_FILE && !existsSync(join(app.root, path)));
  const dirty = (await app.git.dirtyFiles()).filter(path => !comesBack(path));
  if (dirty.length > 0) throw uncommitted(app.root, dirty);
}

/**
 * Looks at what a person did since the harness last left the app.
 * @throws LonghaulError `refused` when a person must decide first, `damage` when passing work is gone.
 */
export async function takePersonsWork(deps: RunDeps): Promise<void> {
  const { app, journal, branch } = deps;
  const { lastCommit, contractSha256 } = journal.state;
  if (lastCommit === null || contractSha256 === null) return;
  await checkBranch(deps, lastCommit);
  await refuseAmendment(deps);
  await noteCommits(deps);
  const canonical = await readCanonicalList(app, lastCommit);
  restoreList(app, journal, canonical, null);
  await restoreCommittedList({ app, journal, branch, now: deps.clock.now() }, canonical, null);
  await putInitBack(deps, { listText: canonical.text, base: lastCommit, session: null });
  await takeDirtyFiles(deps);
}

/** Records commits on top of where the harness left the branch: they are kept, and every stored spec is due. */
export async function noteCommits({ app, journal }: Pick<RunDeps, 'app' | 'journal'>): Promise<void> {
  const { head: from } = journal.state;
  const to = await app.git.head();
  if (from === null || from === to) return;
  const files = await app.git.changedFiles(from, to);
  journal.append({
    type: 'person.commits',
    from,
    to,
    count: await app.git.countCommits(from, to),
    files: files.slice(0, MOST_FILES),
  });
}

/** The run's branch is checked out and holds what passed. @throws LonghaulError `refused`, `damage`. */
export async function checkBranch(
  { app, branch }: Pick<RunDeps, 'app' | 'branch'>,
  lastCommit: string,
): Promise<void> {
  const now = await app.git.branch();
  if (now !== branch) {
    throw refuse(
      `This run builds on ${branch}, but ${app.root} has ${now ? `${now} checked out` : 'a detached HEAD'}; run \`git checkout ${branch}\` there first.`,
    );
  }
  if (await app.git.isAncestor(lastCommit, await app.git.head())) return;
  const last = lastCommit.slice(0, 7);
  throw new LonghaulError(
    'damage',
    `${branch} no longer holds the commit ${last}, in which the harness last wrote the list, so features would pass whose code is gone; nothing was changed. Bring it back (\`git merge ${last}\` or \`git reset --hard ${last}\` in ${app.root}), then start again.`,
  );
}

async function refuseAmendment({ app, journal }: Pick<RunDeps, 'app' | 'journal'>): Promise<void> {
  const found = await findAmendment(app, journal.state);
  if (!found) return;
  throw refuse(
    `${found.what} since the harness last wrote it (${found.sentences.join('; ')}); take that with \`longhaul amend ${shellWord(app.root)}\`, or put it back with \`git checkout ${journal.state.lastCommit?.slice(0, 7)} -- ${found.files.join(' ')}\` there.`,
  );
}

function uncommitted(root: string, dirty: readonly string[]): LonghaulError {
  return refuse(
    `${root} has changes that no session made (${shorten(dirty)}); give the same command with --commit-mine to keep them in a commit, or with --stash-mine to set them aside with git stash.`,
  );
}

function shorten(paths: readonly string[]): string {
  return `${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ` and ${paths.length - 5} more` : ''}`;
}

async function takeDirtyFiles(deps: RunDeps): Promise<void> {
  const { app, mine } = deps;
  const dirty = await app.git.dirtyFiles();
  if (dirty.length === 0) return;
  if (mine === null) throw uncommitted(app.root, dirty);
  const shown = shorten(dirty);
  if (mine === 'stash') {
    await app.git.stash('set aside by longhaul');
    deps.say(
      `set aside ${count(dirty.length, 'changed file')} of yours (${shown}); \`git stash pop\` brings them back`,
    );
    return;
  }
  const commit = await commitMine(deps);
  deps.say(`committed ${count(dirty.length, 'changed file')} of yours as ${commit.slice(0, 7)} (${shown})`);
}

async function commitMine({ app, journal, branch, clock }: RunDeps): Promise<string> {
  const written = await app.git.writeTree();
  if (!written.ok) {
    throw refuse(
      `Your changes cannot be committed: ${written.nested.join(', ')} ${written.nested.length === 1 ? 'is a git repository of its own' : 'are git repositories of their own'}, whose files git would leave out; remove the inner .git folder or ignore it, then start again.`,
    );
  }
  const plan = {
    base: await app.git.head(),
    tree: written.tree,
    dateMs: clock.now(),
    message: 'Changes made by hand\n',
  };
  const outcome = await commitPlan({ app, journal, branch }, plan, { kind: 'person' }, null);
  if (outcome.done) return outcome.commit;
  throw new LonghaulError(
    'conflict',
    `${branch} moved to ${outcome.head.slice(0, 7)} while your changes were being committed; nothing was committed. Start again.`,
  );
}
