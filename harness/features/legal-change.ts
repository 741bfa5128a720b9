// What changed between two lists, and whether it may: only `passes` moves, and only by the harness. Pure.

import { contractHash } from './contract.js';
import type { Feature, FeatureList } from './feature-list.js';

/** A change as one sentence; `legal` when it is nothing but a single `passes` from false to true. */
export interface ListChange {
  legal: boolean;
  /** The id that was flipped, when legal. */
  flipped: string | null;
  sentences: string[];
}

/**
 * Compares the list as it must be with what was found.
 * An unchanged list is legal with nothing flipped.
 */
export function legalChange(before: FeatureList, after: FeatureList): ListChange {
  const flips = before.filter(feature => find(after, feature.id)?.passes !== feature.passes);
  const onlyPasses = contractHash(before) === contractHash(after);
  const raised = flips.filter(feature => !feature.passes);
  const legal = onlyPasses && flips.length === raised.length && raised.length <= 1;
  return {
    legal,
    flipped: legal ? (raised[0]?.id ?? null) : null,
    sentences: onlyPasses
      ? flips.map(describeFlip)
      : [
          ...contractChanges(before, after),
          ...flips.filter(feature => find(after, feature.id)).map(describeFlip),
        ],
  };
}

function describeFlip(feature: Feature): string {
  return `passes of ${feature.id} was set to ${String(!feature.passes)}`;
}

/** What differs but for `passes`, as sentences; empty when nothing does. */
export function contractChanges(before: FeatureList, after: FeatureList): string[] {
  if (contractHash(before) === contractHash(after)) return [];
  const gone = before.filter(feature => !find(after, feature.id)).map(feature => `${feature.id} was removed`);
  const added = after.filter(feature => !find(before, feature.id)).map(feature => `${feature.id} was added`);
  const reworded = before.flatMap(feature => {
    const now = find(after, feature.id);
    if (!now) return [];
    return (['category', 'description', 'steps', 'depends_on'] as const)
      .filter(key => JSON.stringify(now[key] ?? []) !== JSON.stringify(feature[key] ?? []))
      .map(key => `the ${key} of ${feature.id} ${key === 'steps' ? 'were' : 'was'} changed`);
  });
  const kept = (list: FeatureList, other: FeatureList) =>
    list.flatMap(({ id }) => (find(other, id) ? [id] : [])).join();
  const moved = kept(before, after) === kept(after, before) ? [] : ['the entries were put in another order'];
  return [...gone, ...added, ...reworded, ...moved];
}

function find(list: FeatureList, id: string): Feature | undefined {
  return list.find(feature => feature.id === id);
}
