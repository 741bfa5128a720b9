// An init.sh that changed since it was last proved must come up twice from a clean checkout, as the start had to.

import { firstLine } from '../base/cut-text.js';
import { INIT_FILE } from '../workspace/app.js';
import { cleanStart, TIMES_UP } from '../workspace/clean-start.js';
import type { VerifyDeps, VerifyRequest } from './verification.js';

export type ChangedInit =
  /** `cleanStarts` is 0 when it has not changed: nothing was run. */
  { problem: null; cleanStarts: number } | { problem: string; summary: string };

export async function proveChangedInit(
  { app, room, clock, deadlines }: VerifyDeps,
  { init, ports, signal }: VerifyRequest,
  candidate: string,
): Promise<ChangedInit> {
  const [now, proved] = await Promise.all(
    [candidate, init.proved].map(treeish => app.git.readFile(treeish, INIT_FILE)),
  );
  if (now === proved) return { problem: null, cleanStarts: 0 };
  const problem = await cleanStart(app, candidate, { room, clock, ports, deadlines, signal });
  if (problem === null) return { problem: null, cleanStarts: TIMES_UP };
  return {
    summary: `The spec is green, but the changed ${INIT_FILE} does not come up twice from a clean checkout: ${firstLine(problem)}`,
    problem: `The spec is green, but ${INIT_FILE} was changed since it was last proved, so its setup, start and smoke were run twice in one clean checkout, and failed. ${problem}\n\nLet setup and start need nothing but what is committed and leave nothing behind that stops the next time; try it in a fresh clone (git clone . /tmp/try), then call verify_feature again.`,
  };
}
