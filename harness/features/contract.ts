// The contract: what may never change in features.json once it is accepted, as a hash.

import { createHash } from 'node:crypto';
import type { FeatureList } from './feature-list.js';

/** SHA-256 of the list without `passes`, keys in a fixed order: layout and key order do not count, entry order does. */
export function contractHash(list: FeatureList): string {
  const frozen = list.map(({ id, category, description, steps, depends_on }) => [
    id,
    category,
    description,
    steps,
    depends_on ?? [],
  ]);
  return createHash('sha256').update(JSON.stringify(frozen)).digest('hex');
}
