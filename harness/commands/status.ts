// `status`: what the run is at, from the journal alone; it never waits for the process that holds the run.

import { resolve } from 'node:path';
import { systemClock } from '../base/clock.js';
import { EXIT } from '../base/errors.js';
import { readEnvironment } from '../config/environment.js';
import { readJournal } from '../journal/read-journal.js';
import { reduce } from '../journal/reduce.js';
import { plainJson, plainLine } from '../watch/plain-text.js';
import { describeView, runView } from '../watch/run-view.js';
import { openOutput } from '../watch/terminal.js';
import { hasRun, openApp } from '../workspace/app.js';
import { isHeld, readHolder } from '../workspace/run-lock.js';
import { goOnCommand, noRun } from './going-on.js';

/** @returns the exit code. @throws LonghaulError `refused` when there is no run in `dir`. */
export async function statusCommand({ dir, json }: { dir: string; json: boolean }): Promise<number> {
  const root = resolve(dir);
  if (!hasRun(root)) throw noRun(root, dir);
  const { host } = readEnvironment();
  const app = await openApp(root, host);
  const holder = (await isHeld(app)) ? (readHolder(app)?.pid ?? null) : null;
  const state = reduce(readJournal(app.journal).records);
  const view = runView(state, holder);
  const goOn = goOnCommand(state.parked?.reason ?? 'planned', app.root, state.simulated);
  const output = openOutput(process.stdout, host);
  output.lines(json ? [plainJson(view)] : describeView(view, systemClock.now(), goOn).map(plainLine));
  return EXIT.done;
}
