// Brings journal, git and files into agreement, whatever an earlier process left. Doing it twice changes nothing.

import { contractHash } from '../features/contract.js';
import { commitPlan, recoverCommit } from '../workspace/commit.js';
import { removeStaleGitLocks } from '../workspace/git-locks.js';
import { readCanonicalList } from '../workspace/list-guard.js';
import { isSound } from './health.js';
import { takePersonsWork } from './persons-work.js';
import { markerPrefix, type RunDeps } from './run-deps.js';
import { tidyTree } from './tidy-tree.js';

/** What a run needs to be put in order as far as that takes no app, room or model. */
export type SettleDeps = Pick<RunDeps, 'app' | 'journal' | 'branch' | 'say' | 'endProcesses'>;

/** The caller holds the run's lock. */
export async function recover(deps: RunDeps): Promise<void> {
  await settle(deps);
  deps.sweepRooms();
  await closeOpenSession(deps);
  await takePersonsWork(deps);
}

/**
 * No process of an earlier generation lives, and what was decided is done. Order matters: no process of ours lives
 * before a lock or a file is touched.
 */
export async function settle(deps: SettleDeps): Promise<void> {
  const killed = await deps.endProcesses(markerPrefix(deps));
  if (killed > 0)
    deps.say(`ended ${killed} ${killed === 1 ? 'process' : 'processes'} that an earlier session left`);
  const locks = removeStaleGitLocks(deps.app.gitDir);
  if (locks.length > 0) deps.say(`removed stale git locks: ${locks.join(', ')}`);
  await finishCommits(deps);
  await finishInit(deps);
}

/** A decided commit is carried out, a verified flip is committed: at no cost of the model. */
async function finishCommits(deps: SettleDeps): Promise<void> {
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
async function finishInit({ journal, app }: SettleDeps): Promise<void> {
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
  const head = await deps.app.git.head();
  journal.append({ type: 'session.abandoned', session: open.session, salvage, did, head });
}
