// A run that no process holds, opened for a person's change: locked, and what an earlier process decided finished.

import { resolve } from 'node:path';
import { type Clock, systemClock } from '../base/clock.js';
import { readEnvironment } from '../config/environment.js';
import type { FeatureList } from '../features/feature-list.js';
import { openJournal } from '../journal/journal.js';
import { LiveJournal } from '../journal/live-journal.js';
import { checkBranch } from '../runner/persons-work.js';
import { settle } from '../runner/recover.js';
import { openOutput } from '../watch/terminal.js';
import { type App, hasRun, openApp } from '../workspace/app.js';
import { readCanonicalList } from '../workspace/list-guard.js';
import { endByMarker } from '../workspace/processes.js';
import { acquireRunLock } from '../workspace/run-lock.js';
import { noRun } from './going-on.js';

export interface IdleRun {
  app: App;
  journal: LiveJournal;
  branch: string;
  clock: Clock;
  /** The list in force, or null before a start was accepted. */
  list: FeatureList | null;
  say(line: string): void;
}

/** @throws LonghaulError `refused` when there is no run in `dir`, `held` when a process is at work on it. */
export async function withIdleRun<T>(dir: string, work: (run: IdleRun) => Promise<T>): Promise<T> {
  const { host } = readEnvironment();
  const root = resolve(dir);
  if (!hasRun(root)) throw noRun(root, dir);
  const app = await openApp(root, host);
  const output = openOutput(process.stdout, host);
  const say = (line: string) => output.lines([line]);
  const lock = await acquireRunLock(app, { startedAt: systemClock.now() });
  try {
    const journal = new LiveJournal(openJournal(app.journal, systemClock));
    try {
      const branch = journal.state.branch ?? 'main';
      await settle({ app, journal, branch, say, endProcesses: endByMarker });
      const { lastCommit, contractSha256 } = journal.state;
      const accepted = lastCommit !== null && contractSha256 !== null;
      if (accepted) await checkBranch({ app, branch }, lastCommit);
      const list = accepted ? (await readCanonicalList(app, lastCommit)).list : null;
      return await work({ app, journal, branch, clock: systemClock, list, say });
    } finally {
      journal.close();
    }
  } finally {
    await lock.release();
  }
}
