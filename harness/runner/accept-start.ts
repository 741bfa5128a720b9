// Whether what an initializer left is a start to build on: the list, init.sh from a clean checkout, the app answering.

import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractHash } from '../features/contract.js';
import { type FeatureList, formatFeatureList, parseFeatureList } from '../features/feature-list.js';
import type { Plan } from '../journal/records.js';
import { type App, FEATURES_FILE, INIT_FILE, PROGRESS_FILE } from '../workspace/app.js';
import { cleanStart } from '../workspace/clean-start.js';
import { commitPlan } from '../workspace/commit.js';
import type { Room } from '../workspace/room.js';
import type { InitDeadlines } from '../workspace/running-app.js';
import type { RunDeps } from './run-deps.js';

/**
 * Checks the start; when it holds, makes the first commit and freezes the list.
 * @returns what is wrong, as sentences for the model; empty when accepted.
 */
export async function acceptStart(
  deps: RunDeps,
  room: Room,
  deadlines: InitDeadlines,
  {
    session,
    progress,
    plan: said,
    signal,
  }: { session: number; progress: string; plan: Plan; signal: AbortSignal },
): Promise<string[]> {
  const { app, journal, branch, clock } = deps;
  const read = readList(app, deps.settings.maxFeatures);
  const problems = [
    ...('problems' in read ? read.problems : []),
    ...initFileProblems(app),
    ...((await app.git.branch()) === branch ? [] : [`HEAD is not on ${branch}; run git checkout ${branch}.`]),
  ];
  if ('problems' in read || problems.length > 0) return reject(deps, session, problems);
  const text = formatFeatureList(read.list);
  const base = await app.git.head();
  const written = await app.git.writeTree([
    { path: FEATURES_FILE, content: text },
    { path: PROGRESS_FILE, content: progress },
  ]);
  if (!written.ok) {
    return reject(deps, session, [
      `${written.nested.join(', ')} is a git repository of its own inside the app; remove its .git folder.`,
    ]);
  }
  const ports = await room.ports();
  const problem = await cleanStart(app, written.tree, { room, clock, ports, deadlines, signal });
  if (problem) return reject(deps, session, [problem]);
  const message = `Lay out the project: ${read.list.length} features to build\n\nLonghaul-Session: ${session}\n`;
  const plan = { base, tree: written.tree, dateMs: clock.now(), message };
  const outcome = await commitPlan({ app, journal, branch }, plan, { kind: 'init' }, session);
  if (!outcome.done)
    return reject(deps, session, [
      'HEAD moved while the start was checked; stop what commits in the background.',
    ]);
  journal.append({
    type: 'init.done',
    session,
    commit: outcome.commit,
    contractSha256: contractHash(read.list),
    total: read.list.length,
    plan: said,
  });
  return [];
}

function reject({ journal }: RunDeps, session: number, reasons: string[]): string[] {
  journal.append({ type: 'init.rejected', session, reasons });
  return reasons;
}

function readList(app: App, most: number): { list: FeatureList } | { problems: string[] } {
  const path = join(app.root, FEATURES_FILE);
  if (!existsSync(path)) return { problems: [`There is no ${FEATURES_FILE} in ${app.root}. Write it.`] };
  const parsed = parseFeatureList(readFileSync(path, 'utf8'));
  if (!parsed.ok) return { problems: parsed.problems };
  const passing = parsed.list.filter(feature => feature.passes).map(feature => feature.id);
  if (passing.length > 0) {
    return {
      problems: [
        `${passing.slice(0, 5).join(', ')} have passes: true, but nothing is proved yet. Set passes to false in every entry.`,
      ],
    };
  }
  if (parsed.list.length > most) {
    return {
      problems: [
        `The list has ${parsed.list.length} entries; at most ${most} are allowed. Merge what belongs together.`,
      ],
    };
  }
  return { list: parsed.list };
}

function initFileProblems(app: App): string[] {
  const path = join(app.root, INIT_FILE);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return [];
  return [
    found
      ? `${INIT_FILE} is a link or folder. Write it as a file of its own.`
      : `There is no ${INIT_FILE} in ${app.root}. Write it.`,
  ];
}
