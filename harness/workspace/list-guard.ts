// Keeps features.json as the harness last committed it: whatever anybody else did to it is undone and told.

import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileDurably } from '../base/atomic-file.js';
import { LonghaulError } from '../base/errors.js';
import { type FeatureList, parseFeatureList } from '../features/feature-list.js';
import { legalChange } from '../features/legal-change.js';
import type { Journal } from '../journal/journal.js';
import { type App, FEATURES_FILE, SPEC_FILE } from './app.js';
import { type CommitDeps, commitPlan } from './commit.js';

/** The list as it must be, from the harness's last commit. */
export interface CanonicalList {
  text: string;
  list: FeatureList;
  /** The app spec beside it, which a session may change no more than the list; null where that commit has none. */
  spec: string | null;
}

/** @throws LonghaulError `damage` when that commit's list is gone or does not parse. */
export async function readCanonicalList(app: App, commit: string): Promise<CanonicalList> {
  const text = await app.git.readFile(commit, FEATURES_FILE);
  const parsed = text === null ? null : parseFeatureList(text);
  if (text === null || !parsed?.ok) {
    throw new LonghaulError(
      'damage',
      `${FEATURES_FILE} of the commit ${commit.slice(0, 7)} ${text === null ? 'is missing' : 'cannot be read'}, although the journal names that commit; restore the repository from a backup.`,
    );
  }
  return { text, list: parsed.list, spec: await app.git.readFile(commit, SPEC_FILE) };
}

/**
 * Puts features.json on disk back when it differs. Returns a sentence on what was found, or null when all was well.
 */
export function restoreList(
  app: App,
  journal: Journal,
  canonical: CanonicalList,
  session: number | null,
): string | null {
  const path = join(app.root, FEATURES_FILE);
  const found = readPlainFile(path);
  if (found === canonical.text) return null;
  const what = describeDifference(canonical.list, found);
  if (found === null) rmSync(path, { recursive: true, force: true });
  writeFileDurably(path, canonical.text);
  journal.append({ type: 'list.restored', session, found: what });
  return what;
}

/** When commits of others changed features.json, a commit on top puts it back. Returns the new HEAD, or null. */
export async function restoreCommittedList(
  deps: CommitDeps & { now: number },
  canonical: CanonicalList,
  session: number | null,
): Promise<string | null> {
  const { app, journal } = deps;
  const head = await app.git.head();
  const committed = await app.git.readFile(head, FEATURES_FILE);
  if (committed === canonical.text) return null;
  const tree = await app.git.patchTree(head, [{ path: FEATURES_FILE, content: canonical.text }]);
  const plan = {
    base: head,
    tree,
    dateMs: deps.now,
    message: 'Put features.json back: only verified passes may change it',
  };
  journal.append({
    type: 'list.restored',
    session,
    found: `in a commit: ${describeDifference(canonical.list, committed)}`,
  });
  const outcome = await commitPlan(deps, plan, { kind: 'list' }, session);
  return outcome.done ? outcome.commit : null;
}

/** The file's text; null when there is no regular file of that name (a link or folder in its place counts as gone). */
function readPlainFile(path: string): string | null {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

function describeDifference(list: FeatureList, found: string | null): string {
  if (found === null) return 'the file was removed';
  const parsed = parseFeatureList(found);
  if (!parsed.ok) return parsed.problems[0] ?? 'the file could not be read';
  const { sentences } = legalChange(list, parsed.list);
  if (sentences.length === 0) return 'its layout was changed';
  return sentences.length > 4
    ? `${sentences.slice(0, 4).join('; ')}; and ${sentences.length - 4} more`
    : sentences.join('; ');
}
