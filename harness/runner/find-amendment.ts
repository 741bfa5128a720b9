// What a person changed in the list or the app spec and has not had taken yet. The files on disk count, also when they
// were committed.

import { join } from 'node:path';
import { readIfExists } from '../base/atomic-file.js';
import { type FeatureList, parseFeatureList } from '../features/feature-list.js';
import { contractChanges } from '../features/legal-change.js';
import type { RunState } from '../journal/run-state.js';
import { type App, FEATURES_FILE, SPEC_FILE } from '../workspace/app.js';
import { readCanonicalList } from '../workspace/list-guard.js';

export interface FoundAmendment {
  /** `features.json was changed`, `app_spec.md was changed`, or both. */
  what: string;
  /** What differs, as parts of a sentence. */
  sentences: string[];
  files: string[];
  /** The wanted list, or null when the list stayed. */
  list: FeatureList | null;
  /** Why the wanted list cannot be taken; empty when it can. */
  problems: string[];
  /** The wanted text of the app spec, or null when it stayed. */
  spec: string | null;
}

/**
 * Null when nothing was changed. A list in which only `passes` or the layout differ is none: that is put back.
 * @param state of a run whose start was accepted, with no session open.
 */
export async function findAmendment(app: App, state: RunState): Promise<FoundAmendment | null> {
  const { lastCommit } = state;
  if (lastCommit === null) return null;
  const list = await changedList(app, lastCommit);
  const spec = await changedText(app, lastCommit, SPEC_FILE);
  if (list === null && spec === null) return null;
  const files = [...(list ? [FEATURES_FILE] : []), ...(spec === null ? [] : [SPEC_FILE])];
  return {
    what: `${files.join(' and ')} ${files.length === 1 ? 'was' : 'were'} changed`,
    sentences: [
      ...(list ? shorten(list.sentences) : []),
      ...(spec === null ? [] : [`${SPEC_FILE} says something else`]),
    ],
    files,
    list: list?.list ?? null,
    problems: list?.problems ?? [],
    spec,
  };
}

interface ChangedList {
  list: FeatureList | null;
  problems: string[];
  sentences: string[];
}

async function changedList(app: App, lastCommit: string): Promise<ChangedList | null> {
  const canonical = await readCanonicalList(app, lastCommit);
  const text = await changedText(app, lastCommit, FEATURES_FILE);
  if (text === null) return null;
  const parsed = parseFeatureList(text);
  if (!parsed.ok) return { list: null, problems: parsed.problems, sentences: parsed.problems };
  const sentences = contractChanges(canonical.list, parsed.list);
  return sentences.length === 0 ? null : { list: parsed.list, problems: [], sentences };
}

/** The file on disk when it is there and differs from the harness's last commit, else null. */
async function changedText({ root, git }: App, lastCommit: string, file: string): Promise<string | null> {
  const onDisk = readIfExists(join(root, file))?.toString('utf8') ?? null;
  return onDisk === (await git.readFile(lastCommit, file)) ? null : onDisk;
}

function shorten(sentences: string[]): string[] {
  if (sentences.length <= 3) return sentences;
  return [...sentences.slice(0, 3), `${sentences.length - 3} more`];
}
