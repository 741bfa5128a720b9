// `stop` and `pause`: ask the process that holds the run, or park a run that nobody holds.

import { resolve } from 'node:path';
import { systemClock } from '../base/clock.js';
import { EXIT, LonghaulError } from '../base/errors.js';
import { readEnvironment } from '../config/environment.js';
import { openJournal } from '../journal/journal.js';
import { LiveJournal } from '../journal/live-journal.js';
import { GOES_ON_BY_ITSELF } from '../journal/reduce.js';
import { hasRun, openApp } from '../workspace/app.js';
import type { ControlRequest } from '../workspace/run-control.js';
import { acquireRunLock, askHolder, isHeld, readHolder } from '../workspace/run-lock.js';
import { noRun } from './going-on.js';

const WORDS: Readonly<Record<ControlRequest, string>> = {
  stop: 'stops after its session',
  stop_now: 'saves and stops now',
  pause: 'saves and stops now; only `longhaul resume` goes on',
};

/** @returns the exit code. @throws LonghaulError `refused` when there is no run in `dir`. */
export async function stopCommand({
  dir,
  request,
}: {
  dir: string;
  request: ControlRequest;
}): Promise<number> {
  const root = resolve(dir);
  if (!hasRun(root)) throw noRun(root, dir);
  const app = await openApp(root, readEnvironment().host);
  if (await isHeld(app)) {
    const pid = readHolder(app)?.pid;
    if (!(await askHolder(app, request))) {
      throw new LonghaulError(
        'process',
        `Process ${pid} holds the run but does not answer; end it with \`kill ${pid}\`.`,
      );
    }
    say(`process ${pid} ${WORDS[request]}`);
    return EXIT.done;
  }
  if (request !== 'pause') {
    say(`nothing runs in ${root}`);
    return EXIT.done;
  }
  const lock = await acquireRunLock(app, { startedAt: systemClock.now() });
  try {
    const journal = new LiveJournal(openJournal(app.journal, systemClock));
    const { phase, parked } = journal.state;
    // One that was stopped would go on by `run`; a pause takes that back.
    const goesOn = parked
      ? GOES_ON_BY_ITSELF.has(parked.reason)
      : phase === 'initializing' || phase === 'executing';
    if (goesOn) {
      journal.append({
        type: 'run.parked',
        reason: 'paused',
        detail: 'a person paused it',
        exitCode: EXIT.interrupted,
      });
    }
    journal.close();
    say(
      goesOn
        ? 'paused; only `longhaul resume` goes on'
        : `the run is ${phase} already${parked ? ` (${parked.reason})` : ''}`,
    );
  } finally {
    await lock.release();
  }
  return EXIT.done;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
