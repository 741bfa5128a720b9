// A page through a program of the operator's: no shell, the text on its standard input, the facts in its environment.

import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../base/clock.js';
import { firstOf } from '../base/deadline.js';
import { messageOf } from '../base/errors.js';
import { sendSignal } from '../workspace/processes.js';
import type { Channel, Delivery } from './channel.js';
import type { PageMessage } from './page-message.js';

export interface PageCommandOptions {
  /** Program and arguments. */
  command: readonly string[];
  /** Variables of the process's environment; keys of the API are left out. */
  host: Readonly<Record<string, string | undefined>>;
  /** Not the app: a program that is looked up from where it is must not be the agent's. */
  cwd: string;
  clock: Clock;
}

const OUR_KEYS = new Set(['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']);
/** Of what it prints, this much is kept for the record. */
const MOST_OUTPUT = 2_000;
/** For its last words after its end, and for its end after SIGKILL. */
const GRACE_MS = 400;

export function pageCommand({ command, host, cwd, clock }: PageCommandOptions): Channel {
  const [program = '', ...args] = command;
  return {
    name: 'command',
    send: async (message, signal) => {
      const environment = Object.fromEntries(Object.entries(host).filter(([name]) => !OUR_KEYS.has(name)));
      let child: ChildProcess;
      try {
        child = spawn(program, args, {
          cwd,
          // A group of its own, so that what it starts can be ended with it.
          detached: true,
          env: { ...environment, ...variablesOf(message) },
          stdio: ['pipe', 'pipe', 'pipe'],
        });
      } catch (error) {
        return { ok: false, error: messageOf(error), again: false };
      }
      return outcomeOf(child, message, signal, clock);
    },
  };
}

/** `LONGHAUL_TITLE`, `LONGHAUL_REASON`, … */
function variablesOf(message: PageMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [
      `LONGHAUL_${name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`,
      String(value ?? '').replaceAll('\0', ''),
    ]),
  );
}

async function outcomeOf(
  child: ChildProcess,
  message: PageMessage,
  signal: AbortSignal,
  clock: Clock,
): Promise<Delivery> {
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-MOST_OUTPUT);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  // It need not read what it is told.
  child.stdin?.on('error', () => {});
  child.stdin?.end(`${message.text}\n`);
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()));
  const ended = new Promise<Delivery>(resolve => {
    child.on('error', error => resolve({ ok: false, error: messageOf(error), again: false }));
    child.once('exit', (code, name) => resolve(judge(code, name)));
  });
  const outOfTime = onAbort(signal).then((): Delivery => {
    if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
    return { ok: false, error: 'it did not end in the time that pages have and was killed', again: false };
  });
  const delivery = await Promise.race([ended, outOfTime]);
  // A child of its own may hold the pipes open for ever.
  await firstOf(closed, { ms: GRACE_MS, clock });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  child.unref();
  return delivery.ok ? delivery : { ...delivery, error: `${delivery.error}${lastLine(output)}` };
}

function judge(code: number | null, signal: NodeJS.Signals | null): Delivery {
  if (code === 0) return { ok: true };
  return { ok: false, error: code === null ? `it was ended by ${signal}` : `exit code ${code}`, again: true };
}

function lastLine(output: string): string {
  const line = output.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line}`;
}

function onAbort(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
