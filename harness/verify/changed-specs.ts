// A spec of a passing feature that was changed since it was last proved must still be a proof: bound to its steps and green
// on the app, red on an empty page.

import type { Feature } from '../features/feature-list.js';
import type { VerifyDeps, VerifyRequest } from './verification.js';

/** The passing features whose spec differs, or is gone, in the candidate tree. */
export async function changedSpecs(
  { app, proof }: Pick<VerifyDeps, 'app' | 'proof'>,
  { canonical, init, feature }: Pick<VerifyRequest, 'canonical' | 'init' | 'feature'>,
  candidate: string,
): Promise<Feature[]> {
  const passing = canonical.list.filter(({ passes, id }) => passes && id !== feature.id);
  if (passing.length === 0) return [];
  // Each flip had its changed specs proved, so that those of the last one hold.
  const changed = new Set(await app.git.changedFiles(init.proved, candidate));
  return passing.filter(each => changed.has(proof.file(each)));
}

/** Those of which a person and the model must hear that they prove nothing any more. */
export function vacuousReport(ids: readonly string[]): string {
  const [first] = ids;
  return `The changed ${ids.length === 1 ? `spec of ${first} is` : `specs of ${ids.join(', ')} are`} green on an empty page, so what passed is proved no longer. Take back what made ${ids.length === 1 ? 'it' : 'them'} weaker (\`git log -p -- e2e/${first}.spec.ts\` shows the last one that counted): each step asserts what it says. Then call verify_feature again.`;
}
