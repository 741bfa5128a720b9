// Proofs of features that pass already, run again one after another in a running app: what used to work still works.

import type { Feature } from '../features/feature-list.js';
import type { FeatureState } from '../journal/run-state.js';
import type { Proof, ProofTarget } from './proof.js';

/** A proof that holds no longer. */
export interface Broken {
  feature: Feature;
  /** One sentence. */
  summary: string;
  /** What a model needs to mend it. */
  report: string;
}

/** How many of the features that passed last are looked at: what was built on last breaks most. */
const MOST_AT_RISK = 3;

/** The passing features that are most likely to break on a change, latest first. Pure. */
export function atRisk(list: readonly Feature[], states: ReadonlyMap<string, FeatureState>): Feature[] {
  const passedAt = ({ id }: Feature) => states.get(id)?.passedAt ?? 0;
  return list
    .filter(feature => feature.passes)
    .sort((a, b) => passedAt(b) - passedAt(a))
    .slice(0, MOST_AT_RISK);
}

/**
 * Runs the proofs one after another; `reset` puts the app's data back before each.
 * @returns those that are red or cannot run any more, and a failed reset as the first one's fault. Inconclusive ones are
 *   passed over: they are no fault of the app.
 */
export async function runStored(
  features: readonly Feature[],
  { proof, target, reset }: { proof: Proof; target: ProofTarget; reset(): Promise<string | null> },
): Promise<Broken[]> {
  const broken: Broken[] = [];
  for (const feature of features) {
    if (target.signal.aborted) break;
    const missing = proof.missing(feature, target.root);
    const problem = missing ?? (await reset());
    if (problem !== null) {
      broken.push({ feature, summary: problem.split('\n', 1)[0] ?? problem, report: problem });
      continue;
    }
    const run = await proof.run(feature, target);
    if (run.verdict === 'red' || run.verdict === 'broken')
      broken.push({ feature, summary: run.summary, report: run.report });
  }
  return broken;
}
