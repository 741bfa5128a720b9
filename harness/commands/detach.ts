// `run --detach` at the terminal: starts the process that builds, shows what it says, and leaves once a session has begun.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { EXIT, LonghaulError, messageOf } from '../base/errors.js';
import { shellWord } from '../base/shell-word.js';
import { terminalText } from '../base/terminal-text.js';
import { DETACHED_VARIABLE, type Environment } from '../config/environment.js';
import type { Output } from '../watch/terminal.js';
import { type App, openApp, prepareApp } from '../workspace/app.js';
import { type HandOverMessage, runLogPath, TAKEN } from './hand-over.js';
import type { CheckedRun } from './open-run.js';

/** What is shown of the raw output of a process that died. */
const LAST_CHARACTERS = 4_000;

/**
 * Starts the same command again as a process of its own session, without a terminal.
 * @returns 0 once it is on its own, else the exit code with which it ended.
 */
export async function startDetached(
  { root, isNew }: Pick<CheckedRun, 'root' | 'isNew'>,
  { host }: Environment,
  output: Output,
): Promise<number> {
  const app = isNew ? await prepareApp(root, host) : await openApp(root, host);
  const log = runLogPath(app);
  const sizeBefore = existsSync(log) ? statSync(log).size : null;
  const child = startBuilder(log, host);
  const end = await handOver(child, output);
  if (end === 'on') {
    output.lines(farewell(app, child.pid));
    return EXIT.done;
  }
  const raw = readFileSync(log)
    .subarray(sizeBefore ?? 0)
    .toString('utf8');
  if (sizeBefore === null && raw === '') rmSync(log);
  if (end.wasStopped && end.code === null) return EXIT.interrupted;
  if (end.code === null || !end.said) tellDeath(end, raw);
  return end.code ?? EXIT.fault;
}

/** Its raw output goes to the log too: what the system or Node says when they end it. */
function startBuilder(log: string, host: Environment['host']): ChildProcess {
  const fd = openSync(log, 'a', 0o600);
  try {
    return spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
      detached: true,
      stdio: ['ignore', fd, fd, 'ipc'],
      env: { ...host, [DETACHED_VARIABLE]: '1' },
    });
  } finally {
    closeSync(fd);
  }
}

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** It said something about its end, or before it. */
  said: boolean;
  /** By Ctrl-C at this terminal. */
  wasStopped: boolean;
}

function handOver(child: ChildProcess, output: Output): Promise<'on' | Ended> {
  return new Promise((resolve, reject) => {
    let said = false;
    let wasStopped = false;
    const stop = () => {
      wasStopped = true;
      child.kill('SIGTERM');
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    const settle = (end: 'on' | Ended) => {
      for (const signal of SIGNALS) process.off(signal, stop);
      resolve(end);
    };
    child.on('message', message => {
      const told = message as HandOverMessage;
      if (told.kind === 'on') return leave(child, () => settle('on'));
      said = true;
      if (told.kind === 'text') output.lines(told.text.replace(/\n$/, '').split('\n'));
      else process.stderr.write(told.text);
    });
    child.once('error', error =>
      reject(new LonghaulError('process', `The run could not be started: ${messageOf(error)}.`)),
    );
    // Its messages may be read after its exit is known, but not after the channel has ended.
    const exited = new Promise<void>(done => child.once('exit', () => done()));
    const silent = new Promise<void>(done => child.once('disconnect', () => done()));
    void Promise.all([exited, silent]).then(() =>
      settle({ code: child.exitCode, signal: child.signalCode, said, wasStopped }),
    );
  });
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** From here on neither process needs the other. */
function leave(child: ChildProcess, then: () => void): void {
  child.send(TAKEN, error => {
    // It is dead already: its exit tells how.
    if (error) return;
    child.disconnect();
    child.unref();
    then();
  });
}

function farewell(app: App, pid: number | undefined): string[] {
  const dir = shellWord(app.root);
  return [
    `process ${pid} goes on in the background; its output is in ${runLogPath(app)}`,
    `To follow: longhaul log ${dir} --follow`,
    `To stop: longhaul stop ${dir} (after its session), longhaul stop ${dir} --now`,
  ];
}

function tellDeath({ code, signal }: Ended, raw: string): void {
  const last = terminalText(raw).trim().slice(-LAST_CHARACTERS);
  const how = signal ? `signal ${signal}` : `exit code ${code}`;
  process.stderr.write(
    `${last === '' ? '' : `${last}\n`}longhaul: the process of the run ended before its first session began (${how}); the same command goes on.\n`,
  );
}
