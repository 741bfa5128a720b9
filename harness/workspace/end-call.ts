// Ends a call of the shell that ran out of time: its processes politely, then for good, and bash only if it does not answer.

import type { Clock } from '../base/clock.js';
import type { BashProcess } from './bash-process.js';
import type { ProcessInfo } from './process-table.js';
import { killAll, nameOf, sendSignal, signalProcess } from './processes.js';
import { LEAVE_SIGNAL } from './shell-script.js';

/** Between TERM and KILL. */
const GRACE_MS = 2_000;
const POLL_MS = 50;
/** How long bash may take to answer once nothing of the call runs any more. */
const ANSWER_MS = 500;
/** Bash may start new processes faster than they can be ended; then bash is next. */
const ROUNDS = 20;

export interface EndCallOptions {
  bash: BashProcess;
  /** What the call started and still lives. */
  find(): ProcessInfo[];
  /** Whether bash has answered, or has ended. */
  isOver(): boolean;
  clock: Clock;
}

/** Afterwards nothing that the call started lives. Returns what had to be ended. */
export async function endCall({ bash, find, isOver, clock }: EndCallOptions): Promise<ProcessInfo[]> {
  const ended = new Map<string, ProcessInfo>();
  const leave = () => {
    if (bash.alive && !isOver()) sendSignal(bash.pid, LEAVE_SIGNAL);
  };
  const findAndLeave = () => {
    leave();
    return find();
  };
  const killThem = async (look: () => ProcessInfo[], rounds?: number) => {
    const { killed } = await killAll(look, { clock, ...(rounds === undefined ? {} : { rounds }) });
    for (const info of killed) ended.set(nameOf(info), info);
  };

  const graceEnds = clock.monotonic() + GRACE_MS;
  while (clock.monotonic() < graceEnds) {
    const found = findAndLeave();
    if (found.length === 0 && isOver()) break;
    for (const info of found) {
      if (ended.has(nameOf(info))) continue;
      if (signalProcess(info, 'SIGTERM')) ended.set(nameOf(info), info);
    }
    await clock.sleep(POLL_MS);
  }
  await killThem(findAndLeave, ROUNDS);
  const answerEnds = clock.monotonic() + ANSWER_MS;
  while (!isOver() && clock.monotonic() < answerEnds) {
    leave();
    await clock.sleep(POLL_MS);
  }
  if (!isOver()) await bash.killAlone();
  await killThem(find);
  return [...ended.values()];
}
