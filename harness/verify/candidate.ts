// What a verification would commit, and the commit itself once it is proved.

import { formatFeatureList, withPass } from '../features/feature-list.js';
import type { CommitPlan } from '../journal/records.js';
import { FEATURES_FILE, PROGRESS_FILE, SPEC_FILE } from '../workspace/app.js';
import type { VerifyDeps, VerifyRefusal, VerifyRequest } from './verification.js';

/** The tree that would be committed if the proof holds, but for the flip itself. */
export async function writeCandidate(
  { app }: VerifyDeps,
  { canonical, progress }: VerifyRequest,
): Promise<string | VerifyRefusal> {
  const result = await app.git.writeTree([
    { path: FEATURES_FILE, content: canonical.text },
    { path: PROGRESS_FILE, content: progress },
    ...(canonical.spec === null ? [] : [{ path: SPEC_FILE, content: canonical.spec }]),
  ]);
  if (result.ok) return result.tree;
  return {
    refused: `${result.nested.join(', ')} ${result.nested.length === 1 ? 'is a git repository of its own' : 'are git repositories of their own'} inside the app, so git would leave ${result.nested.length === 1 ? 'its' : 'their'} files out of the commit. Remove the inner .git folder (rm -rf ${result.nested[0]}/.git), then call verify_feature again.`,
  };
}

/** The commit of a candidate that was proved: its tree with the one flip. */
export async function planFlip(
  { app, clock }: VerifyDeps,
  { canonical, feature, commitMessage, session }: VerifyRequest,
  { base, candidate, evidenceSha256 }: { base: string; candidate: string; evidenceSha256: string },
): Promise<CommitPlan> {
  const flipped = formatFeatureList(withPass(canonical.list, feature.id));
  const tree = await app.git.patchTree(candidate, [{ path: FEATURES_FILE, content: flipped }]);
  const trailers = [
    `Longhaul-Feature: ${feature.id}`,
    `Longhaul-Session: ${session}`,
    `Longhaul-Evidence: ${evidenceSha256}`,
  ];
  return { base, tree, dateMs: clock.now(), message: `${commitMessage.trim()}\n\n${trailers.join('\n')}\n` };
}
