// Which feature comes next: the first failing one by priority that can be worked on. Pure.

import type { FeatureState } from '../journal/run-state.js';
import type { Feature, FeatureList } from './feature-list.js';

/**
 * The next feature, or null when none can be worked on.
 * Order: priority of the list; those whose named blockers still fail come later; those set aside come last and get one
 * more session each. A feature waits for its `depends_on`.
 */
export function nextFeature(
  list: FeatureList,
  states: ReadonlyMap<string, FeatureState>,
  attempts: number,
): Feature | null {
  const failing = list.filter(feature => !feature.passes && dependenciesPass(list, feature));
  const open = failing.filter(feature => !states.get(feature.id)?.setAside);
  const ready = open.filter(feature => !isBlocked(list, states.get(feature.id)));
  const lastChance = failing.filter(feature => {
    const state = states.get(feature.id);
    return state?.setAside && state.attempts <= attempts;
  });
  return ready[0] ?? open[0] ?? lastChance[0] ?? null;
}

function dependenciesPass(list: FeatureList, feature: Feature): boolean {
  return (feature.depends_on ?? []).every(id => list.find(other => other.id === id)?.passes);
}

function isBlocked(list: FeatureList, state: FeatureState | undefined): boolean {
  return (state?.blockedBy ?? []).some(id => list.find(other => other.id === id)?.passes === false);
}
