// The loop over sessions: recover, read the state, choose, run; until code says that it is done or a person must act.

import { EXIT, LonghaulError, messageOf } from '../base/errors.js';
import type { ParkReason } from '../journal/records.js';
import type { SessionEnd } from '../session/session-types.js';
import { readCanonicalList } from '../workspace/list-guard.js';
import { chooseNext } from './choose-next.js';
import type { RunEnd } from './end-sentence.js';
import { replayAlone } from './health.js';
import { beginEpoch } from './prefix-epoch.js';
import { recover } from './recover.js';
import { removeStart } from './remove-start.js';
import type { RunDeps } from './run-deps.js';
import { runExecutor, runInitializer } from './run-one-session.js';

const EXIT_OF_REASON: Readonly<Record<ParkReason, number>> = {
  stuck: EXIT.stuck,
  init_failed: EXIT.stuck,
  budget: EXIT.budget,
  session_limit: EXIT.sessionLimit,
  needs_person: EXIT.needsPerson,
  damage: EXIT.fault,
  interrupted: EXIT.interrupted,
  stopped: EXIT.interrupted,
  paused: EXIT.interrupted,
  refused: EXIT.refused,
};

/**
 * Runs sessions until the run rests, or with `planOnly` until the start is accepted.
 * @throws LonghaulError for refusals and damage; nothing is half-done then.
 */
export async function runApp(deps: RunDeps, { planOnly = false } = {}): Promise<RunEnd> {
  let sessions = 0;
  try {
    for (; ; sessions++) {
      await recover(deps);
      beginEpoch(deps);
      const asked = deps.asked();
      if (asked) return park(deps, asked, asked === 'paused' ? 'a person paused it' : 'a person stopped it');
      const { contractSha256 } = deps.journal.state;
      if (planOnly && contractSha256 !== null) return { exitCode: EXIT.done, reason: 'planned', detail: '' };
      const end = await step(deps);
      if (end) return end;
    }
  } catch (error) {
    if (error instanceof LonghaulError && (error.code === 'damage' || error.code === 'conflict')) {
      park(deps, 'damage', messageOf(error));
    }
    // Before the first session a refusal just ends the command; in the middle of a night a person must be told.
    if (sessions > 0 && error instanceof LonghaulError && error.code === 'refused')
      return park(deps, 'needs_person', messageOf(error));
    throw error;
  }
}

async function step(deps: RunDeps): Promise<RunEnd | null> {
  const { app, journal, settings } = deps;
  const { state } = journal;
  const frozen = state.contractSha256 !== null && state.lastCommit !== null;
  const list = frozen && state.lastCommit ? (await readCanonicalList(app, state.lastCommit)).list : null;
  const next = chooseNext(state, list, settings);
  switch (next.kind) {
    case 'done':
      if (state.suiteDue && list) {
        const [first, ...more] = await replayAlone(deps, list);
        if (deps.signal.aborted) return null;
        if (first !== undefined) return park(deps, 'needs_person', brokenByPerson(first, more.length));
      }
      journal.append({ type: 'run.done', head: await app.git.head() });
      return { exitCode: EXIT.done, reason: 'done', detail: '' };
    case 'park':
      return park(deps, next.reason, next.detail);
    case 'initializer':
      return afterSession(deps, await runInitializer(deps));
    case 'executor': {
      const end = await runExecutor(deps, next.feature);
      setAsideIfDue(deps, next.feature.id);
      return afterSession(deps, end);
    }
  }
}

/** Endings after which no further session may start. */
async function afterSession(deps: RunDeps, end: SessionEnd): Promise<RunEnd | null> {
  if (end.reason === 'budget') return park(deps, 'budget', end.summary);
  if (end.reason === 'api_error') return park(deps, 'needs_person', end.summary);
  const outcome = end.verdict?.kind === 'finished' ? end.verdict.outcome : null;
  if (outcome === 'needs_person') return park(deps, 'needs_person', end.summary);
  if (outcome === 'not_a_web_app') {
    await removeStart(deps);
    return park(deps, 'refused', end.summary);
  }
  return null;
}

function brokenByPerson(first: string, more: number): string {
  return `every feature passed, but after the commits made by hand ${first}${more > 0 ? ` (and ${more} more)` : ''}; mend the app, or revert those commits, then resume`;
}

function setAsideIfDue({ journal, settings }: RunDeps, id: string): void {
  const feature = journal.state.features.get(id);
  if (!feature || feature.passed || feature.setAside || feature.attempts < settings.attempts) return;
  journal.append({ type: 'feature.set_aside', feature: id, attempts: feature.attempts });
}

function park({ journal }: RunDeps, reason: ParkReason, detail: string): RunEnd {
  const exitCode = EXIT_OF_REASON[reason];
  journal.append({ type: 'run.parked', reason, detail, exitCode });
  return { exitCode, reason, detail };
}
