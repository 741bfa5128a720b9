// What a run does next: a session, or an end with its reason. Pure.

import type { Settings } from '../config/settings.js';
import type { Feature, FeatureList } from '../features/feature-list.js';
import { nextFeature } from '../features/next-feature.js';
import type { ParkReason } from '../journal/records.js';
import type { RunState } from '../journal/run-state.js';

export type Next =
  | { kind: 'initializer' }
  | { kind: 'executor'; feature: Feature }
  | { kind: 'done' }
  | { kind: 'park'; reason: ParkReason; detail: string };

/** Initializer sessions without an accepted start; then a person must look at the spec. */
const MOST_INIT_TRIES = 3;

/** @param list the list as the harness last committed it; null before the start was accepted. */
export function chooseNext(
  state: RunState,
  list: FeatureList | null,
  settings: Pick<Settings, 'attempts' | 'patience' | 'maxSessions'>,
): Next {
  if (list?.every(feature => feature.passes)) return { kind: 'done' };
  if (state.sessions >= settings.maxSessions) {
    return park('session_limit', `all ${settings.maxSessions} sessions were used`);
  }
  if (list === null) {
    if (state.initTries < MOST_INIT_TRIES) return { kind: 'initializer' };
    const why = state.initFaults[0] ? `: ${state.initFaults[0]}` : '';
    return park('init_failed', `${MOST_INIT_TRIES} initializer sessions brought no start that holds${why}`);
  }
  if (state.idle >= settings.patience) {
    return park('stuck', `${state.idle} sessions in a row won nothing`);
  }
  const feature = nextFeature(list, state.features, settings.attempts);
  if (feature) return { kind: 'executor', feature };
  const failing = list.filter(entry => !entry.passes).map(entry => entry.id);
  const shown =
    failing.length > 5
      ? `${failing.slice(0, 5).join(', ')} and ${failing.length - 5} more`
      : failing.join(', ');
  return park(
    'stuck',
    `${shown} did not pass in ${settings.attempts + 1} sessions each, or ${failing.length === 1 ? 'waits' : 'wait'} for one that did not`,
  );
}

function park(reason: ParkReason, detail: string): Next {
  return { kind: 'park', reason, detail };
}
