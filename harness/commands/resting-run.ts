// A start on a run that rests: that is told before anything is asked for, and nothing is written.

import { resolve } from 'node:path';
import { systemClock } from '../base/clock.js';
import type { Environment } from '../config/environment.js';
import { readPageSettings } from '../config/page-settings.js';
import { openJournal } from '../journal/journal.js';
import { LiveJournal } from '../journal/live-journal.js';
import { readJournal } from '../journal/read-journal.js';
import { reduce } from '../journal/reduce.js';
import type { RunState } from '../journal/run-state.js';
import { hasUnsentPages } from '../pager/pager.js';
import type { RunEnd } from '../runner/end-sentence.js';
import { type App, hasRun, openApp } from '../workspace/app.js';
import { acquireRunLock } from '../workspace/run-lock.js';
import { restingEnd } from './going-on.js';
import { findSpec, operatorFile, otherSpec, type RunRequest } from './open-run.js';
import { wirePager } from './wire.js';

export interface RestingRun {
  app: App;
  state: RunState;
  end: RunEnd;
}

/**
 * Null when there is no run, or one that a start goes on with.
 * @throws LonghaulError `refused` when another spec was named for it.
 */
export async function restingRun(request: RunRequest, { host }: Environment): Promise<RestingRun | null> {
  const root = resolve(request.dir);
  if (!hasRun(root)) return null;
  const app = await openApp(root, host);
  const state = reduce(readJournal(app.journal).records);
  const end = restingEnd(state);
  if (end === null) return null;
  const spec = findSpec(request, root, false);
  if (spec === null || spec.sha256 === state.specSha256) return { app, state, end };
  // Another spec is what a refused one waits for.
  if (end.reason === 'refused') return null;
  throw otherSpec(request);
}

/** Pages that could not be sent before get one more try; without any nothing is opened. */
export async function sendUnsentPages(
  { app }: RestingRun,
  request: RunRequest,
  environment: Environment,
  next: (reason: string) => string,
): Promise<void> {
  const page = readPageSettings(operatorFile(request, environment));
  if (page === null || !hasUnsentPages(app.state, readJournal(app.journal).records)) return;
  const lock = await acquireRunLock(app, { startedAt: systemClock.now() });
  try {
    const journal = new LiveJournal(openJournal(app.journal, systemClock));
    const checked = { page, apiKey: environment.apiKey ?? 'none' };
    await wirePager({ app, journal, checked, environment, next }).flush();
    journal.close();
  } finally {
    await lock.release();
  }
}
