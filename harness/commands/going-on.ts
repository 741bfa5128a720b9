// Runs that rest: why, and the one command that goes on.

import { type LonghaulError, refuse } from '../base/errors.js';
import { shellWord } from '../base/shell-word.js';
import type { LiveJournal } from '../journal/live-journal.js';
import { GOES_ON_BY_ITSELF } from '../journal/reduce.js';
import type { RunState } from '../journal/run-state.js';
import type { RunEnd } from '../runner/end-sentence.js';

/** A parked or finished run needs a person: no request is made. One that a person stopped just goes on. */
export function restingEnd(state: LiveJournal['state'] | RunState): RunEnd | null {
  if (state.phase === 'done') return { exitCode: 0, reason: 'done', detail: '' };
  if (state.phase !== 'parked' || !state.parked || GOES_ON_BY_ITSELF.has(state.parked.reason)) return null;
  const { reason, detail, exitCode } = state.parked;
  return { reason, detail, exitCode };
}

/** For a page: what to type next. */
export function nextFor(reason: string, root: string, simulated: boolean): string {
  return reason === 'done' ? `cd ${shellWord(root)} && ./init.sh` : goOnCommand(reason, root, simulated);
}

/** @param dir as it was typed. */
export function noRun(root: string, dir: string): LonghaulError {
  return refuse(
    `There is no run in ${root}; start one with longhaul run ${shellWord(dir)} --no-sandbox --spec FILE`,
  );
}

/** A command to copy. `--no-sandbox` is in it, since no run starts without it yet. */
export function goOnCommand(reason: string, root: string, simulated: boolean): string {
  const dir = shellWord(root);
  if (reason === 'planned' || GOES_ON_BY_ITSELF.has(reason)) {
    // A stand-in has an address that only its starter knows.
    return simulated ? 'the command that started it' : `longhaul run ${dir} --no-sandbox`;
  }
  if (reason === 'refused') return `longhaul run ${dir} --no-sandbox --spec FILE, with a spec for a web app`;
  if (reason === 'budget') return `longhaul resume ${dir} --no-sandbox --budget USD, with a higher cap`;
  if (reason === 'needs_person')
    return `longhaul resume ${dir} --no-sandbox, with --say "your answer" where it asks something`;
  return `longhaul resume ${dir} --no-sandbox`;
}
