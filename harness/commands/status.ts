// `status`: what the run is at, from the journal alone; it never waits for the process that holds the run.

import { resolve } from 'node:path';
import { refuse } from '../base/errors.js';
import { readEnvironment } from '../config/environment.js';
import { readJournal } from '../journal/read-journal.js';
import { reduce } from '../journal/reduce.js';
import { describeView, runView } from '../watch/run-view.js';
import { hasRun, openApp } from '../workspace/app.js';
import { isHeld, readHolder } from '../workspace/run-lock.js';

/** @returns the exit code. @throws LonghaulError `refused` when there is no run in `dir`. */
export async function statusCommand({ dir, json }: { dir: string; json: boolean }): Promise<number> {
  const root = resolve(dir);
  if (!hasRun(root))
    throw refuse(`There is no run in ${root}; start one with longhaul run ${dir} --spec FILE`);
  const app = await openApp(root, readEnvironment().host);
  const holder = (await isHeld(app)) ? (readHolder(app)?.pid ?? null) : null;
  const view = runView(reduce(readJournal(app.journal).records), holder);
  process.stdout.write(`${json ? JSON.stringify(view) : describeView(view)}\n`);
  return 0;
}
