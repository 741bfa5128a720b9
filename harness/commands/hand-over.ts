// The channel between `run --detach` at the terminal and the process that builds, until that one is on its own.

import { join } from 'node:path';
import type { App } from '../workspace/app.js';

/** What the building process says; nothing any more once it is on. */
export type HandOverMessage =
  /** Lines for the terminal. */
  | { kind: 'text'; text: string }
  /** Why it ends, for standard error. */
  | { kind: 'failure'; text: string }
  /** A session has begun. It waits for no answer, but ends when the terminal is gone without one. */
  | { kind: 'on' };

/** The answer: the person at the terminal will be told, so the run goes on without it. */
export const TAKEN = 'taken';

/** Where the output of a run goes that has no terminal. */
export function runLogPath({ state }: Pick<App, 'state'>): string {
  return join(state, 'run.log');
}
