// After each turn's calls: what a session did to files that are not its own is undone at once, and it is told.

import { type KnownInit, restoreInit } from '../workspace/init-guard.js';
import { type CanonicalList, restoreList } from '../workspace/list-guard.js';
import { restoreSpec } from '../workspace/spec-guard.js';
import type { RunDeps } from './run-deps.js';

/** Sentences for the model; empty when all was well. */
export async function guardFiles(
  { app, journal }: RunDeps,
  { canonical, init, session }: { canonical: CanonicalList; init: KnownInit; session: number },
): Promise<string[]> {
  const list = restoreList(app, journal, canonical, session);
  const lost = await restoreInit({ app, journal }, init, session);
  const spec = restoreSpec({ app, journal }, canonical, session);
  return [
    ...(spec
      ? ['[fact] app_spec.md has been put back: it is what a person asked for, and only a person changes it.']
      : []),
    ...(list === null
      ? []
      : [
          `[fact] features.json was changed (${list}) and has been put back. It belongs to the harness: \`passes\` moves only through verify_feature, and the rest is frozen.`,
        ]),
    ...(lost === null
      ? []
      : [
          `[fact] init.sh has been put back as it was (${lost}). Every session brings the app up with it: change it as the app needs, but keep it.`,
        ]),
  ];
}
