// Keeps app_spec.md as the person wrote it: the agent works to it, and only `longhaul amend` changes it.

import { join } from 'node:path';
import { readIfExists, writeFileDurably } from '../base/atomic-file.js';
import type { Journal } from '../journal/journal.js';
import { type App, FEATURES_FILE, SPEC_FILE } from './app.js';
import { type CommitDeps, commitPlan } from './commit.js';
import type { CanonicalList } from './list-guard.js';

/** Puts the file on disk back when it differs. True when it did. */
export function restoreSpec(
  { app, journal }: { app: App; journal: Journal },
  { spec }: CanonicalList,
  session: number,
): boolean {
  const path = join(app.root, SPEC_FILE);
  if (spec === null || readIfExists(path)?.toString('utf8') === spec) return false;
  writeFileDurably(path, spec);
  journal.append({ type: 'spec.restored', session });
  return true;
}

/** When commits of a session changed it, a commit on top puts it back. True when that was needed. */
export async function restoreCommittedSpec(
  deps: CommitDeps & { now: number },
  { spec, text }: CanonicalList,
  session: number,
): Promise<boolean> {
  const { app, now } = deps;
  const base = await app.git.head();
  if (spec === null || (await app.git.readFile(base, SPEC_FILE)) === spec) return false;
  const tree = await app.git.patchTree(base, [
    { path: FEATURES_FILE, content: text },
    { path: SPEC_FILE, content: spec },
  ]);
  const message = `Put ${SPEC_FILE} back: it is what a person asked for`;
  deps.journal.append({ type: 'spec.restored', session });
  const outcome = await commitPlan(deps, { base, tree, dateMs: now, message }, { kind: 'list' }, session);
  return outcome.done;
}
