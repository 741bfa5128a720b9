// How the harness commits: intent in the journal, compare-and-swap of the branch, then the files that derive from it.
// Every gap can be decided from disk alone; `recoverCommit` does it, and doing it twice changes nothing.

import { join } from 'node:path';
import { readIfExists, writeFileDurably } from '../base/atomic-file.js';
import { LonghaulError } from '../base/errors.js';
import type { Journal } from '../journal/journal.js';
import type { CommitPlan, CommitPurpose } from '../journal/records.js';
import type { PendingCommit } from '../journal/run-state.js';
import { type App, FEATURES_FILE, PROGRESS_FILE } from './app.js';

export interface CommitDeps {
  app: App;
  journal: Journal;
  branch: string;
}

export type CommitOutcome = { done: true; commit: string } | { done: false; head: string };

/** Carries a plan out. `done: false`: HEAD was not where the plan wants it, and nothing was changed. */
export async function commitPlan(
  { app, journal, branch }: CommitDeps,
  plan: CommitPlan,
  purpose: CommitPurpose,
  session: number | null,
): Promise<CommitOutcome> {
  const commit = await app.git.commitTree(plan);
  journal.append({ type: 'commit.intent', session, purpose, base: plan.base, commit });
  if (!(await app.git.swapBranch(branch, commit, plan.base))) {
    const head = await app.git.head();
    journal.append({ type: 'commit.void', session, commit, head });
    return { done: false, head };
  }
  await deriveFiles(app, commit);
  if (purpose.kind === 'amend') await deriveAmended(app, plan.base, commit);
  journal.append({ type: 'commit.done', session, purpose, commit });
  return { done: true, commit };
}

/**
 * Finishes a commit whose intent is in the journal and whose end is not: HEAD at the base means that the swap is still
 * to come, HEAD at or above the commit that it happened. Returns a sentence on what was done.
 * @throws LonghaulError `conflict` when HEAD is neither.
 */
export async function recoverCommit(
  { app, journal, branch }: CommitDeps,
  pending: PendingCommit,
): Promise<string> {
  const head = await app.git.resolve(`refs/heads/${branch}`);
  const { base, commit, purpose, session } = pending;
  const landed = head !== '' && (head === commit || (await app.git.isAncestor(commit, head)));
  if (!landed) {
    if (head !== base || !(await app.git.swapBranch(branch, commit, base))) {
      throw new LonghaulError(
        'conflict',
        `A commit was decided on top of ${base.slice(0, 7) || 'an empty repository'}, but ${branch} is now at ${head.slice(0, 7)}; nothing was changed. Put ${branch} back to ${base.slice(0, 7)} (\`git branch -f ${branch} ${base.slice(0, 7)}\`), then start again.`,
      );
    }
  }
  await deriveFiles(app, commit);
  if (purpose.kind === 'amend') await deriveAmended(app, base, commit);
  journal.append({ type: 'commit.done', session, purpose, commit });
  return `${landed ? 'recorded' : 'finished'} the commit ${commit.slice(0, 7)}`;
}

/** Index, features.json and notes as `commit` has them; the other files on disk stay as they are. */
export async function deriveFiles(app: App, commit: string): Promise<void> {
  await app.git.resetIndex(commit);
  for (const file of [FEATURES_FILE, PROGRESS_FILE]) {
    const content = await app.git.readFile(commit, file);
    const path = join(app.root, file);
    if (content !== null && readIfExists(path)?.toString('utf8') !== content) writeFileDurably(path, content);
  }
}

/** An amendment also changes the app spec and takes out specs: on disk they follow its commit. */
async function deriveAmended({ git }: App, base: string, commit: string): Promise<void> {
  const changed = await git.changedFiles(base, commit);
  await git.checkoutFiles(changed.filter(path => path !== FEATURES_FILE && path !== PROGRESS_FILE));
}
