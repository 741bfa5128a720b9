// Verifying one feature: the app from its own init.sh with empty data, the proof green there and red on an empty page.

import { join } from 'node:path';
import { firstLine } from '../base/cut-text.js';
import type { Feature } from '../features/feature-list.js';
import type { Verdict } from '../journal/records.js';
import { INIT_FILE } from '../workspace/app.js';
import { restoreInit } from '../workspace/init-guard.js';
import { restoreList } from '../workspace/list-guard.js';
import { appLogPath, type InitVerb, runVerb, startApp } from '../workspace/running-app.js';
import { restoreSpec } from '../workspace/spec-guard.js';
import { startBlankApp } from './blank-app.js';
import { planFlip, writeCandidate } from './candidate.js';
import { proveChangedInit } from './changed-init.js';
import { changedSpecs, vacuousReport } from './changed-specs.js';
import { storeEvidence } from './evidence.js';
import type { ProofRun, ProofTarget } from './proof.js';
import { type Broken, runStored } from './stored-specs.js';
import type { VerifyDeps, VerifyOutcome, VerifyRefusal, VerifyRequest } from './verification.js';

/** Runs the proof. Journals verify.begin and verify.result; commits nothing. */
export async function verifyFeature(
  deps: VerifyDeps,
  request: VerifyRequest,
): Promise<VerifyOutcome | VerifyRefusal> {
  const { app, journal, proof } = deps;
  const { feature, session } = request;
  const refusal = proof.missing(feature, app.root) ?? (await wrongBranch(deps));
  if (refusal !== null) return { refused: refusal };
  restoreList(app, journal, request.canonical, session);
  restoreSpec({ app, journal }, request.canonical, session);
  await restoreInit({ app, journal }, request.init, session);
  const base = await app.git.head();
  const candidate = await writeCandidate(deps, request);
  if (typeof candidate !== 'string') return candidate;
  for (const path of [proof.file(feature), INIT_FILE]) {
    if ((await app.git.readFile(candidate, path)) === null) return { refused: hiddenFromGit(path) };
  }
  const specSha256 = proof.hash(feature, app.root);
  journal.append({ type: 'verify.begin', session, feature: feature.id, tree: candidate, specSha256 });

  const judged = await judge(deps, request, candidate);
  const evidenceSha256 = judged.seen
    ? storeEvidence(
        app.state,
        {
          feature: feature.id,
          session,
          tree: candidate,
          specSha256,
          at: new Date(deps.clock.now()).toISOString(),
          verdict: 'green',
          blank: { verdict: judged.seen.blank.verdict, summary: judged.seen.blank.summary },
          alsoGreen: judged.seen.alsoGreen,
          changedSpecs: judged.seen.changedSpecs,
          cleanStarts: judged.seen.cleanStarts,
          ms: judged.seen.run.ms,
          details: judged.seen.run.details,
        },
        judged.seen.run.files,
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
    ...(judged.seen && judged.seen.changedSpecs.length > 0 ? { changedSpecs: judged.seen.changedSpecs } : {}),
  });
  return {
    verdict: judged.verdict,
    summary: judged.summary,
    report: judged.report,
    flip,
    cameUp: judged.cameUp,
  };
}

interface Judged {
  verdict: Verdict;
  summary: string;
  report: string;
  cameUp: boolean;
  seen: Seen | null;
}

/** What made a verdict green. */
interface Seen {
  run: ProofRun;
  blank: ProofRun;
  /** Ids of passing features whose proofs held too; of them those whose spec was changed. */
  alsoGreen: string[];
  changedSpecs: string[];
  /** How often a changed init.sh came up. */
  cleanStarts: number;
}

/** From the cheapest refusal to the dearest: the app, spec, what worked before, check, tree, empty page, changed init.sh. */
async function judge(deps: VerifyDeps, request: VerifyRequest, candidate: string): Promise<Judged> {
  const { feature, signal } = request;
  const changed = await changedSpecs(deps, request, candidate);
  const stored = [...new Set([...changed, ...request.atRisk])];
  await request.beforeStart();
  const onApp = await proveOnApp(deps, request, stored);
  if (signal.aborted) return refused('inconclusive', 'The verification was interrupted.');
  if ('problem' in onApp) {
    const summary = `The app did not come up: ${firstLine(onApp.problem)}`;
    return { ...refused('red', summary, onApp.problem), cameUp: false };
  }
  const { run, broken, check } = onApp;
  if (run.verdict !== 'green') return refused(run.verdict, run.summary, run.report);
  if (broken.length > 0) return refused('red', brokenSummary(broken), brokenReport(feature, broken));
  if (check !== null)
    return refused('red', `The spec is green, but ${firstLine(check)}`, `The spec is green, but ${check}`);
  if ((await writeCandidate(deps, request)) !== candidate) {
    return refused(
      'inconclusive',
      'Files of the app changed while the spec ran.',
      'Files of the app changed while the spec ran, so what was proved is not what would be committed. Let data go to $DATA_DIR and stop what writes into the app, then call verify_feature again.',
    );
  }
  const [blank, ...changedOnBlank] = await onBlankApp(deps, [feature, ...changed], signal);
  if (signal.aborted || !blank) return refused('inconclusive', 'The verification was interrupted.');
  if (blank.verdict === 'green') {
    return refused(
      'unproven',
      'The spec is green on an empty page too.',
      `The spec of ${feature.id} is green on an empty page too, so it proves nothing. Let the steps assert what a user sees: after each action expect a text, role or value that only this feature puts on the page, then call verify_feature again.`,
    );
  }
  if (blank.verdict !== 'red') {
    return refused(
      'inconclusive',
      `On an empty page: ${blank.summary}`,
      `The spec is green on the app, but whether it would be red without it could not be told: ${blank.summary} Begin the spec with page.goto('/') and an expectation about the page, then call verify_feature again.`,
    );
  }
  const vacuous = changed.filter((_, index) => changedOnBlank[index]?.verdict !== 'red').map(({ id }) => id);
  if (vacuous.length > 0) {
    const summary = `The spec is green, but the changed spec of ${vacuous.join(', ')} proves nothing any more.`;
    return refused('unproven', summary, vacuousReport(vacuous));
  }
  const init = await proveChangedInit(deps, request, candidate);
  if (signal.aborted) return refused('inconclusive', 'The verification was interrupted.');
  if (init.problem !== null) return refused('red', init.summary, init.problem);
  const ids = (features: readonly Feature[]) => features.map(({ id }) => id);
  const seen = {
    run,
    blank,
    alsoGreen: ids(stored),
    changedSpecs: ids(changed),
    cleanStarts: init.cleanStarts,
  };
  return { verdict: 'green', summary: run.summary, report: run.report, cameUp: true, seen };
}

type OnApp = { problem: string } | { run: ProofRun; broken: Broken[]; check: string | null };

/** On an app of its own, with empty data: the proof, and on green what passed last and the app's own check. */
async function proveOnApp(
  deps: VerifyDeps,
  { feature, signal, ports }: VerifyRequest,
  stored: readonly Feature[],
): Promise<OnApp> {
  const { app, room, proof, clock, deadlines } = deps;
  const started = await startApp({
    room,
    clock,
    root: app.root,
    ports,
    dataDir: join(room.scratch, 'verify-data'),
    fresh: true,
    logPath: appLogPath(app.state),
    deadlines,
    signal,
  });
  if (!started.ok) return started;
  const verb = (name: InitVerb) => runVerb({ room, root: app.root, signal }, name, started.app.env);
  const target: ProofTarget = { root: app.root, baseUrl: started.app.baseUrl, blank: false, room, signal };
  try {
    const run = await proof.run(feature, target);
    if (run.verdict !== 'green') return { run, broken: [], check: null };
    const broken = await runStored(stored, { proof, target, reset: () => verb('reset') });
    return { run, broken, check: broken.length === 0 ? await verb('check') : null };
  } finally {
    await started.app.stop();
  }
}

function brokenSummary(broken: readonly Broken[]): string {
  const ids = broken.map(each => each.feature.id).join(', ');
  return `The spec is green, but ${ids} passed before and ${broken.length === 1 ? 'is' : 'are'} red with this change.`;
}

function brokenReport({ id }: Feature, broken: readonly Broken[]): string {
  const reports = broken.map(each => `${each.feature.id}: ${each.report}`).join('\n\n');
  return `The spec of ${id} is green, but what passed before is red with this change. Mend the app so that both hold; or, where a spec asserts more than its step says, loosen it to its step and say so in the commit message.\n\n${reports}`;
}

/** No flip; the text for the model is the sentence itself unless there is more to say. */
function refused(verdict: Verdict, summary: string, report: string = summary): Judged {
  return { verdict, summary, report, cameUp: true, seen: null };
}

async function onBlankApp(
  { proof, room, app }: VerifyDeps,
  features: readonly Feature[],
  signal: AbortSignal,
): Promise<ProofRun[]> {
  const blank = await startBlankApp();
  try {
    const runs: ProofRun[] = [];
    for (const feature of features)
      runs.push(await proof.run(feature, { root: app.root, baseUrl: blank.url, blank: true, room, signal }));
    return runs;
  } finally {
    await blank.close();
  }
}

function hiddenFromGit(path: string): string {
  return `${path} is hidden from git (by .gitignore or .git/info/exclude), so it would not be committed. Make git see it (\`git check-ignore -v ${path}\` names the rule), then call verify_feature again.`;
}

async function wrongBranch({ app, branch }: VerifyDeps): Promise<string | null> {
  const now = await app.git.branch();
  if (now === branch) return null;
  return `HEAD is ${now === null ? 'detached' : `on the branch ${now}`}, but this run builds on ${branch}. Bring your work there (git checkout ${branch}, then git merge or git cherry-pick), then call verify_feature again.`;
}
