// Verifying one feature: the app from its own init.sh with empty data, the proof green there and red on an empty page.

import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { type Feature, formatFeatureList, withPass } from '../features/feature-list.js';
import type { Journal } from '../journal/journal.js';
import type { CommitPlan, Verdict } from '../journal/records.js';
import { type App, FEATURES_FILE, PROGRESS_FILE } from '../workspace/app.js';
import { type CanonicalList, restoreList } from '../workspace/list-guard.js';
import type { PortBlock, Room } from '../workspace/room.js';
import { appLogPath, type InitDeadlines, startApp } from '../workspace/running-app.js';
import { startBlankApp } from './blank-app.js';
import { storeEvidence } from './evidence.js';
import type { Proof, ProofRun } from './proof.js';

export interface VerifyDeps {
  app: App;
  branch: string;
  journal: Journal;
  clock: Clock;
  room: Room;
  proof: Proof;
  deadlines: InitDeadlines;
}

export interface VerifyRequest {
  session: number;
  feature: Feature;
  canonical: CanonicalList;
  /** Subject and body of the commit; trailers are added. */
  commitMessage: string;
  /** New text of claude-progress.txt. */
  progress: string;
  /** The session's block; the app that ran on it has been stopped. */
  ports: PortBlock;
  signal: AbortSignal;
}

export interface VerifyOutcome {
  verdict: Verdict;
  summary: string;
  /** For the model. */
  report: string;
  /** What to commit; null when not green. */
  flip: CommitPlan | null;
}

/** The candidate could not even be named: nothing was journaled. For the model, as a sentence. */
export interface VerifyRefusal {
  refused: string;
}

/** Runs the proof. Journals verify.begin and verify.result; commits nothing. */
export async function verifyFeature(
  deps: VerifyDeps,
  request: VerifyRequest,
): Promise<VerifyOutcome | VerifyRefusal> {
  const { app, journal, proof } = deps;
  const { feature, session } = request;
  const refused = proof.missing(feature, app.root) ?? (await wrongBranch(deps));
  if (refused !== null) return { refused };
  restoreList(app, journal, request.canonical, session);
  const base = await app.git.head();
  const candidate = await writeCandidate(deps, request);
  if (typeof candidate !== 'string') return candidate;
  const specSha256 = proof.hash(feature, app.root);
  journal.append({ type: 'verify.begin', session, feature: feature.id, tree: candidate, specSha256 });

  const judged = await judge(deps, request, candidate);
  const green = judged.verdict === 'green' && judged.run !== null && judged.blank !== null;
  const evidenceSha256 =
    green && judged.run && judged.blank
      ? storeEvidence(
          app.state,
          {
            feature: feature.id,
            session,
            tree: candidate,
            specSha256,
            at: new Date(deps.clock.now()).toISOString(),
            verdict: 'green',
            blank: { verdict: judged.blank.verdict, summary: judged.blank.summary },
            ms: judged.run.ms,
            details: judged.run.details,
          },
          judged.run.files,
        )
      : null;
  const flip =
    evidenceSha256 === null ? null : await planFlip(deps, request, { base, candidate, evidenceSha256 });
  journal.append({
    type: 'verify.result',
    session,
    feature: feature.id,
    tree: candidate,
    specSha256,
    verdict: judged.verdict,
    summary: judged.summary,
    evidenceSha256,
    flip,
  });
  return { verdict: judged.verdict, summary: judged.summary, report: judged.report, flip };
}

interface Judged {
  verdict: Verdict;
  summary: string;
  report: string;
  run: ProofRun | null;
  blank: ProofRun | null;
}

async function judge(deps: VerifyDeps, request: VerifyRequest, candidate: string): Promise<Judged> {
  const { app, room, proof, clock, deadlines } = deps;
  const { feature, signal } = request;
  const started = await startApp({
    room,
    clock,
    root: app.root,
    ports: request.ports,
    dataDir: join(room.scratch, 'verify-data'),
    fresh: true,
    logPath: appLogPath(app.state),
    deadlines,
    signal,
  });
  if (!started.ok)
    return bare('red', `The app did not come up: ${firstLine(started.problem)}`, started.problem);
  let run: ProofRun;
  try {
    run = await proof.run(feature, {
      root: app.root,
      baseUrl: started.app.baseUrl,
      blank: false,
      room,
      signal,
    });
  } finally {
    await started.app.stop();
  }
  if (run.verdict !== 'green')
    return { verdict: run.verdict, summary: run.summary, report: run.report, run, blank: null };

  const now = await writeCandidate(deps, request);
  if (now !== candidate) {
    const text =
      'Files of the app changed while the spec ran, so what was proved is not what would be committed. Let data go to $DATA_DIR and stop what writes into the app, then call verify_feature again.';
    return { ...bare('inconclusive', 'Files of the app changed while the spec ran.', text), run };
  }
  const blank = await onBlankApp(deps, request);
  if (blank.verdict === 'red')
    return { verdict: 'green', summary: run.summary, report: run.report, run, blank };
  if (blank.verdict === 'green') {
    const text = `The spec of ${feature.id} is green on an empty page too, so it proves nothing. Let the steps assert what a user sees: after each action expect a text, role or value that only this feature puts on the page, then call verify_feature again.`;
    return {
      verdict: 'unproven',
      summary: 'The spec is green on an empty page too.',
      report: text,
      run,
      blank,
    };
  }
  const text = `The spec is green on the app, but whether it would be red without it could not be told: ${blank.summary} Begin the spec with page.goto('/') and an expectation about the page, then call verify_feature again.`;
  return { verdict: 'inconclusive', summary: `On an empty page: ${blank.summary}`, report: text, run, blank };
}

async function onBlankApp(
  { proof, room, app }: VerifyDeps,
  { feature, signal }: VerifyRequest,
): Promise<ProofRun> {
  const blank = await startBlankApp();
  try {
    return await proof.run(feature, { root: app.root, baseUrl: blank.url, blank: true, room, signal });
  } finally {
    await blank.close();
  }
}

/** The tree that would be committed if the proof holds, but for the flip itself. */
async function writeCandidate(
  { app }: VerifyDeps,
  { canonical, progress }: VerifyRequest,
): Promise<string | VerifyRefusal> {
  const result = await app.git.writeTree([
    { path: FEATURES_FILE, content: canonical.text },
    { path: PROGRESS_FILE, content: progress },
  ]);
  if (result.ok) return result.tree;
  return {
    refused: `${result.nested.join(', ')} ${result.nested.length === 1 ? 'is a git repository of its own' : 'are git repositories of their own'} inside the app, so git would leave ${result.nested.length === 1 ? 'its' : 'their'} files out of the commit. Remove the inner .git folder (rm -rf ${result.nested[0]}/.git), then call verify_feature again.`,
  };
}

async function planFlip(
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

async function wrongBranch({ app, branch }: VerifyDeps): Promise<string | null> {
  const now = await app.git.branch();
  if (now === branch) return null;
  return `HEAD is ${now === null ? 'detached' : `on the branch ${now}`}, but this run builds on ${branch}. Bring your work there (git checkout ${branch}, then git merge or git cherry-pick), then call verify_feature again.`;
}

function bare(verdict: Verdict, summary: string, report: string): Judged {
  return { verdict, summary, report, run: null, blank: null };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
