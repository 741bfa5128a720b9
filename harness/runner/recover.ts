// Brings journal, git and files into agreement, whatever an earlier process left. Doing it twice changes nothing.

import { LonghaulError, refuse } from '../base/errors.js';
import { contractHash } from '../features/contract.js';
import { commitPlan, recoverCommit } from '../workspace/commit.js';
import { removeStaleGitLocks } from '../workspace/git-locks.js';
import { readCanonicalList, restoreCommittedList, restoreList } from '../workspace/list-guard.js';
import { isSound } from './health.js';
import { markerPrefix, type RunDeps } from './run-deps.js';
import { tidyTree } from './tidy-tree.js';

/** The caller holds the run's lock. Order matters: no process of ours lives before a lock or a file is touched. */
export async function recover(deps: RunDeps): Promise<void> {
  const killed = await deps.endProcesses(markerPrefix(deps));
  if (killed > 0)
    deps.say(`ended ${killed} ${killed === 1 ? 'process' : 'processes'} that an earlier session left`);
  const locks = removeStaleGitLocks(deps.app.gitDir);
  if (locks.length > 0) deps.say(`removed stale git locks: ${locks.join(', ')}`);
  deps.sweepRooms();
  await finishCommits(deps);
  await finishInit(deps);
  await closeOpenSession(deps);
  await checkBetweenSessions(deps);
}

/** A decided commit is carried out, a verified flip is committed: at no cost of the model. */
async function finishCommits(deps: RunDeps): Promise<void> {
  const { journal, app, branch } = deps;
  const { pendingCommit } = journal.state;
  if (pendingCommit) deps.say(`recovered: ${await recoverCommit({ app, journal, branch }, pendingCommit)}`);
  const { pendingFlip } = journal.state;
  if (!pendingFlip) return;
  const { plan, feature, session } = pendingFlip;
  const outcome = await commitPlan({ app, journal, branch }, plan, { kind: 'flip', feature }, session);
  deps.say(
    outcome.done
      ? `recovered: ${feature} was verified before the crash; its commit is ${outcome.commit.slice(0, 7)}`
      : `the verdict on ${feature} is void: HEAD moved after it`,
  );
}

/** The start was committed, but the journal does not say yet that the list is frozen. */
async function finishInit({ journal, app }: RunDeps): Promise<void> {
  const { contractSha256, lastCommit, open } = journal.state;
  if (contractSha256 !== null || lastCommit === null || open?.kind !== 'initializer') return;
  const { list } = await readCanonicalList(app, lastCommit);
  journal.append({
    type: 'init.done',
    session: open.session,
    commit: lastCommit,
    contractSha256: contractHash(list),
    total: list.length,
    // Said by the session that was cut off; the list itself is whole.
    plan: { stack: '', programs: [], questions: [] },
  });
}

async function closeOpenSession(deps: RunDeps): Promise<void> {
  const { journal } = deps;
  const { open } = journal.state;
  if (!open) return;
  const started = journal.state.contractSha256 !== null;
  // An initializer that was cut off leaves its files where they are: the next one goes on from them.
  const { salvage, did } = started
    ? await tidyTree(deps, { ...open, isSound: () => isSound(deps, open.session) })
    : { salvage: null, did: [] };
  journal.append({ type: 'session.abandoned', session: open.session, salvage, did });
}

/** While no session is open, the tree is a person's: it is looked at, and only the list is put right. */
async function checkBetweenSessions(deps: RunDeps): Promise<void> {
  const { app, journal, branch } = deps;
  const { lastCommit, contractSha256 } = journal.state;
  if (lastCommit === null || contractSha256 === null) return;
  const now = await app.git.branch();
  if (now !== branch) {
    throw refuse(
      `This run builds on ${branch}, but ${app.root} has ${now ? `${now} checked out` : 'a detached HEAD'}; run \`git checkout ${branch}\` there first.`,
    );
  }
  if (!(await app.git.isAncestor(lastCommit, await app.git.head()))) {
    throw new LonghaulError(
      'damage',
      `${branch} no longer holds the commit ${lastCommit.slice(0, 7)}, in which the harness last wrote the list, so features would pass whose code is gone; nothing was changed. Bring it back (\`git merge ${lastCommit.slice(0, 7)}\` or \`git reset --hard ${lastCommit.slice(0, 7)}\` in ${app.root}), then start again.`,
    );
  }
  const canonical = await readCanonicalList(app, lastCommit);
  restoreList(app, journal, canonical, null);
  await restoreCommittedList({ app, journal, branch, now: deps.clock.now() }, canonical, null);
  const dirty = await app.git.dirtyFiles();
  if (dirty.length === 0) return;
  const shown = `${dirty.slice(0, 5).join(', ')}${dirty.length > 5 ? ` and ${dirty.length - 5} more` : ''}`;
  throw refuse(
    `${app.root} has changes that no session made (${shown}). They are yours: commit them or \`git stash -u\` them, then start again.`,
  );
}
