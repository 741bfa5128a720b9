// Carries out what a person decided about list or app spec: one commit, whose record holds all that the state needs.

import type { Clock } from '../base/clock.js';
import { LonghaulError } from '../base/errors.js';
import type { Amendment } from '../features/amend-list.js';
import { contractHash } from '../features/contract.js';
import { type FeatureList, formatFeatureList } from '../features/feature-list.js';
import type { AmendPurpose } from '../journal/records.js';
import { specFile } from '../verify/spec-proof.js';
import { FEATURES_FILE, SPEC_FILE } from '../workspace/app.js';
import { type AppSpec, SPEC_FOLDER } from '../workspace/app-spec.js';
import { type CommitDeps, commitPlan } from '../workspace/commit.js';
import type { TreeFile } from '../workspace/git-trees.js';
import { noteCommits } from './persons-work.js';
import type { RunDeps } from './run-deps.js';

export interface WantedChange {
  /** The list in force. */
  before: FeatureList;
  /** Null when the list stays. */
  list: Amendment | null;
  /** Null when the app spec stays. */
  spec: AppSpec | null;
}

/**
 * Commits the change on top of HEAD and returns the commit. A dropped feature's spec goes with it; git keeps it.
 * @throws LonghaulError `conflict` when HEAD moved meanwhile: nothing was changed.
 */
export async function amendRun(
  deps: CommitDeps & Pick<RunDeps, 'app' | 'journal'> & { clock: Clock },
  wanted: WantedChange,
): Promise<string> {
  const { app, branch, clock } = deps;
  await noteCommits(deps);
  const base = await app.git.head();
  const tree = await app.git.patchTree(base, [
    ...listFiles(wanted),
    ...(wanted.spec ? await specFiles(deps, base, wanted.spec) : []),
  ]);
  const purpose = purposeOf(wanted);
  const [first = 'nothing', ...more] = purpose.sentences;
  const message = `Amend: ${first}\n${more.length > 0 ? `\n${more.join('\n')}\n` : ''}`;
  const outcome = await commitPlan(deps, { base, tree, dateMs: clock.now(), message }, purpose, null);
  if (outcome.done) return outcome.commit;
  throw new LonghaulError(
    'conflict',
    `${branch} moved to ${outcome.head.slice(0, 7)} while the change was being committed; nothing was changed. Give the command again.`,
  );
}

function purposeOf({ before, list, spec }: WantedChange): AmendPurpose {
  const now = list?.list ?? before;
  return {
    kind: 'amend',
    contractSha256: contractHash(now),
    total: now.length,
    specSha256: spec?.sha256 ?? null,
    changes: list?.changes ?? [],
    sentences: [...(list?.sentences ?? []), ...(spec ? [`the app spec (${SPEC_FILE}) was changed`] : [])],
  };
}

function listFiles({ list }: WantedChange): TreeFile[] {
  if (!list) return [];
  const dropped = list.changes.filter(({ change }) => change === 'dropped');
  return [
    { path: FEATURES_FILE, content: formatFeatureList(list.list) },
    ...dropped.map(({ id }) => ({ path: specFile(id), content: null })),
  ];
}

/** The spec is what a person names: files of an earlier spec folder that are not in the new one go. */
async function specFiles({ app: { git } }: CommitDeps, base: string, spec: AppSpec): Promise<TreeFile[]> {
  const files = spec.files.map(({ path, content }) => ({ path: `${SPEC_FOLDER}/${path}`, content }));
  const stay = new Set(files.map(file => file.path));
  const old = (await git.filesIn(base, SPEC_FOLDER)).filter(path => !stay.has(path));
  // A spec.md beside the app's copy is a person's original: where it is in git, both say the same.
  const original = (await git.readFile(base, 'spec.md')) === null ? [] : ['spec.md'];
  return [
    ...[SPEC_FILE, ...original].map(path => ({ path, content: spec.text })),
    ...files,
    ...old.map(path => ({ path, content: null })),
  ];
}
