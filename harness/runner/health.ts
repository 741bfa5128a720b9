// Whether the app as it lies on disk is sound: it comes up, its smoke check holds, what passed last still passes.

import type { Feature, FeatureList } from '../features/feature-list.js';
import { atRisk, runStored } from '../verify/stored-specs.js';
import { FEATURES_FILE, PROGRESS_FILE } from '../workspace/app.js';
import { readCanonicalList } from '../workspace/list-guard.js';
import type { Room } from '../workspace/room.js';
import { type InitVerb, runVerb } from '../workspace/running-app.js';
import { deadlinesOf, type RunDeps, sessionMarker } from './run-deps.js';
import { SessionApp } from './session-app.js';

export interface HealthParts {
  room: Room;
  /** Running. */
  sessionApp: SessionApp;
  list: FeatureList;
}

/**
 * What worked before and does not now, as sentences: all stored specs after a person changed the app, else those at risk.
 * None are run while nothing has changed since the last flip, whose tree was seen green.
 */
export async function findBroken(deps: RunDeps, parts: HealthParts): Promise<string[]> {
  const smoke = await verbOf(deps, parts)('smoke');
  if (smoke !== null) return [smoke];
  const { state } = deps.journal;
  if (state.suiteDue) return replaySuite(deps, parts);
  return (await changedSinceLastFlip(deps))
    ? brokenSpecs(deps, parts, atRisk(parts.list, state.features))
    : [];
}

/** The suite in a room of its own, for a moment without a session. An app that does not come up is broken as a whole. */
export async function replayAlone(deps: RunDeps, list: FeatureList): Promise<string[]> {
  return inOwnRoom(deps, 'suite', list, async parts => {
    const started = await parts.sessionApp.start(deps.signal);
    return started.ok ? replaySuite(deps, parts) : [started.problem];
  });
}

/** Runs every stored spec and records it, unless it was interrupted: then it stays due. */
async function replaySuite(deps: RunDeps, parts: HealthParts): Promise<string[]> {
  const { app, journal, signal } = deps;
  const passing = parts.list.filter(feature => feature.passes);
  const broken = await brokenSpecs(deps, parts, passing);
  if (!signal.aborted) {
    const head = await app.git.head();
    journal.append({ type: 'suite.replayed', head, specs: passing.length, broken });
  }
  return broken;
}

/**
 * Whether unfinished work may go onto the branch: check, start, smoke and the at-risk specs are green, in a room of its
 * own with empty data.
 */
export async function isSound(deps: RunDeps, session: number): Promise<boolean> {
  const { app, journal, signal } = deps;
  if (signal.aborted || journal.state.lastCommit === null) return false;
  const { list } = await readCanonicalList(app, journal.state.lastCommit);
  return inOwnRoom(deps, `health-${session}`, list, async parts => {
    const verb = verbOf(deps, parts);
    if (!(await parts.sessionApp.start(signal)).ok) return false;
    if ((await verb('check')) !== null || (await verb('smoke')) !== null) return false;
    const broken = await brokenSpecs(deps, parts, atRisk(list, journal.state.features));
    return broken.length === 0 && !signal.aborted;
  });
}

async function inOwnRoom<T>(
  deps: RunDeps,
  name: string,
  list: FeatureList,
  work: (parts: HealthParts) => Promise<T>,
): Promise<T> {
  const room = deps.openRoom(name, sessionMarker(deps, deps.journal.state.sessions));
  try {
    const sessionApp = new SessionApp(deps, room, await room.ports(), deadlinesOf(deps));
    return await work({ room, sessionApp, list });
  } finally {
    await room.close();
  }
}

async function brokenSpecs(
  deps: RunDeps,
  parts: HealthParts,
  features: readonly Feature[],
): Promise<string[]> {
  const { app, proof, signal } = deps;
  const { room, sessionApp } = parts;
  const verb = verbOf(deps, parts);
  const target = { root: app.root, baseUrl: sessionApp.baseUrl, blank: false, room, signal };
  const broken = await runStored(features, { proof, target, reset: () => verb('reset') });
  if (features.length > 0) await verb('reset');
  return broken.map(({ feature, summary }) => `${feature.id} passed before and is red now: ${summary}`);
}

async function changedSinceLastFlip({ app, journal }: RunDeps): Promise<boolean> {
  const { lastFlip } = journal.state;
  if (lastFlip === null) return false;
  const changed = await app.git.changedFiles(lastFlip, await app.git.head());
  return changed.some(path => path !== FEATURES_FILE && path !== PROGRESS_FILE);
}

function verbOf({ app, signal }: RunDeps, { room, sessionApp }: HealthParts) {
  return (name: InitVerb) => runVerb({ room, root: app.root, signal }, name, sessionApp.env);
}
