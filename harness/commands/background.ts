// The building side of `run --detach`: says what it has to say at the terminal until a session has begun, then in run.log.

import { Writable } from 'node:stream';
import { moment } from '../base/amounts.js';
import { type BoundedLog, boundedLog } from '../base/bounded-log.js';
import { systemClock } from '../base/clock.js';
import { failureOf } from '../base/failure.js';
import { redactor, secretValues } from '../base/redact.js';
import type { Environment } from '../config/environment.js';
import type { App } from '../workspace/app.js';
import { type HandOverMessage, runLogPath, TAKEN } from './hand-over.js';

/** What a run uses of it. */
export interface Background {
  /** In place of standard output. */
  stream: Writable;
  /** A session has begun: no refusal comes any more. Called more than once, it does nothing. */
  begun(app: App): void;
}

/** A line a session and a few more: this is months. */
const LOG_BYTES = 5 * 1024 * 1024;

/** True in the process that `run --detach` started, as long as there is somebody at the terminal's end. */
export function isBackground({ isDetached }: Environment): boolean {
  return isDetached && process.connected === true;
}

/** Runs `work` to its end. Returns its exit code; what it throws is told where its lines go. */
export async function inBackground(
  environment: Environment,
  work: (background: Background) => Promise<number>,
): Promise<number> {
  const terminal = openTerminal();
  const redact = redactor([environment.apiKey ?? '', ...secretValues(environment.host)]);
  const early: string[] = [];
  let log: BoundedLog | null = null;
  const write = (text: string) => {
    if (log) return log.write(redact(text));
    early.push(text);
    terminal.tell({ kind: 'text', text });
  };
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _, done) => {
      write(String(chunk));
      done();
    },
  });
  const begun = (app: App) => {
    if (log) return;
    log = boundedLog(runLogPath(app), LOG_BYTES);
    write(`-- process ${process.pid}, ${moment(systemClock.now())}\n`);
    for (const text of early.splice(0)) write(text);
    // The folder of the shell may go away while this process lives for days.
    process.chdir(app.root);
    terminal.tell({ kind: 'on' });
  };
  try {
    return await work({ stream, begun });
  } catch (error) {
    const { message, exitCode } = failureOf(error);
    const text = `longhaul: ${message}\n`;
    if (log) write(text);
    else terminal.tell({ kind: 'failure', text });
    return exitCode;
  } finally {
    await terminal.close();
  }
}

interface Terminal {
  tell(message: HandOverMessage): void;
  /** Resolves when all was told. */
  close(): Promise<void>;
}

/** Ends this process as SIGTERM does when the terminal is gone before it took the run over. */
function openTerminal(): Terminal {
  let free = false;
  let told = Promise.resolve();
  const leave = () => {
    free = true;
    if (process.connected) process.disconnect();
  };
  process.on('message', message => {
    if (message === TAKEN) leave();
  });
  process.on('disconnect', () => {
    if (!free) process.kill(process.pid, 'SIGTERM');
  });
  return {
    tell: message => {
      if (!process.connected) return;
      told = new Promise(resolve => process.send?.(message, undefined, undefined, () => resolve()));
    },
    close: async () => {
      await told;
      leave();
    },
  };
}
