// Whether the app as it lies on disk is sound: it comes up, its smoke check holds, what passed last still passes.

import type { FeatureList } from '../features/feature-list.js';
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
 * What worked before and does not now, as sentences. The stored specs are left out while nothing has changed since the
 * last flip, whose tree was seen green.
 */
export async function findBroken(deps: RunDeps, parts: HealthParts): Promise<string[]> {
  const smoke = await verbOf(deps, parts)('smoke');
  if (smoke !== null) return [smoke];
  return (await changedSinceLastFlip(deps)) ? brokenSpecs(deps, parts) : [];
}

/**
 * Whether unfinished work may go onto the branch: check, start, smoke and the at-risk specs are green, in a room of its
 * own with empty data.
 */
export async function isSound(deps: RunDeps, session: number): Promise<boolean> {
  const { app, journal, signal } = deps;
  if (signal.aborted || journal.state.lastCommit === null) return false;
  const { list } = await readCanonicalList(app, journal.state.lastCommit);
  const room = deps.openRoom(`health-${session}`, sessionMarker(deps, session));
  try {
    const sessionApp = new SessionApp(deps, room, await room.ports(), deadlinesOf(deps));
    const parts = { room, sessionApp, list };
    const verb = verbOf(deps, parts);
    if (!(await sessionApp.start(signal)).ok) return false;
    if ((await verb('check')) !== null || (await verb('smoke')) !== null) return false;
    return (await brokenSpecs(deps, parts)).length === 0 && !signal.aborted;
  } finally {
    await room.close();
  }
}

async function brokenSpecs(deps: RunDeps, parts: HealthParts): Promise<string[]> {
  const { app, proof, signal, journal } = deps;
  const { room, sessionApp, list } = parts;
  const verb = verbOf(deps, parts);
  const target = { root: app.root, baseUrl: sessionApp.baseUrl, blank: false, room, signal };
  const features = atRisk(list, journal.state.features);
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
