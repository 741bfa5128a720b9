// Brings the app up through its own init.sh, waits until it answers, and takes it down again.

import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { INIT_FILE } from './app.js';
import type { PortBlock, Room, RoomProcess } from './room.js';

/** How long `setup` and `start` may take, ms; both are settings. */
export interface InitDeadlines {
  setupMs: number;
  startMs: number;
}

/** The verbs that run to their end beside a running app. */
export type InitVerb = 'smoke' | 'reset' | 'check';

/** Reset is promised in two seconds; the rest is for a busy machine. Check runs the app's own unit tests. */
const VERB_MS: Readonly<Record<InitVerb, number>> = { smoke: 30_000, reset: 10_000, check: 300_000 };

export interface RunningApp {
  baseUrl: string;
  port: number;
  /** Variables that init.sh, the shell and the specs get: PORT, BASE_URL, DATA_DIR. */
  env: Record<string, string>;
  /** Resolves when the app's own process has ended by itself or by `stop`. */
  exited: RoomProcess['exited'];
  stop(): Promise<void>;
}

export type StartResult = { ok: true; app: RunningApp } | { ok: false; problem: string };

export interface StartOptions {
  room: Room;
  clock: Clock;
  /** The folder with init.sh: the app or a checkout of it. */
  root: string;
  ports: PortBlock;
  /** Emptied first when `fresh`; all state of the app lives there. */
  dataDir: string;
  fresh: boolean;
  /** Output of `setup` and `start` goes here; emptied first. */
  logPath: string;
  deadlines: InitDeadlines;
  signal: AbortSignal;
}

/** A request that finds no listener is repeated this often, ms. */
const PROBE_EVERY_MS = 50;
const PROBE_TIMEOUT_MS = 5_000;
/** What a person or model reads of the log when the app does not come up. */
const LOG_TAIL_CHARACTERS = 2_000;
const STOP_GRACE_MS = 2_000;

/** Runs `init.sh setup`, then `init.sh start` in the background until it answers on its port. */
export async function startApp(options: StartOptions): Promise<StartResult> {
  const { room, root, ports, dataDir, logPath, deadlines, signal } = options;
  if (options.fresh) rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  const env = appEnvironment(ports, dataDir);

  const setup = await room.exec(
    { argv: ['bash', INIT_FILE, 'setup'], cwd: root, env },
    { timeoutMs: deadlines.setupMs, signal },
  );
  if (setup.timedOut)
    return failure(`${INIT_FILE} setup did not end within ${seconds(deadlines.setupMs)}`, setup.output);
  if (setup.code !== 0) return failure(`${INIT_FILE} setup ended with exit code ${setup.code}`, setup.output);

  const log = openSync(logPath, 'w');
  const process = room.start({ argv: ['bash', INIT_FILE, 'start'], cwd: root, env }, ['ignore', log, log]);
  closeSync(log);
  const app: RunningApp = {
    baseUrl: baseUrlOf(ports),
    port: ports.base,
    env,
    exited: process.exited,
    stop: () => process.kill(STOP_GRACE_MS),
  };
  const problem = await waitUntilItAnswers(app, process, options);
  if (problem === null) return { ok: true, app };
  await process.kill();
  return failure(problem, readFileSync(logPath, 'utf8'));
}

/** Runs one verb of init.sh to its end. Null when it ended well, else what it printed and how it ended. */
export async function runVerb(
  { room, root, signal }: Pick<StartOptions, 'room' | 'root' | 'signal'>,
  verb: InitVerb,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  const timeoutMs = VERB_MS[verb];
  const result = await room.exec({ argv: ['bash', INIT_FILE, verb], cwd: root, env }, { timeoutMs, signal });
  if (result.code === 0) return null;
  const how = result.timedOut
    ? `did not end within ${seconds(timeoutMs)}`
    : `ended with exit code ${result.code}`;
  return describe(`${INIT_FILE} ${verb} ${how}`, result.output);
}

/** What init.sh is promised: a block of ports, its address and a folder for all of its data. */
export function appEnvironment(ports: PortBlock, dataDir: string): Record<string, string> {
  return { PORT: String(ports.base), BASE_URL: baseUrlOf(ports), DATA_DIR: dataDir };
}

export function appLogPath(state: string): string {
  return join(state, 'app.log');
}

function baseUrlOf(ports: PortBlock): string {
  return `http://127.0.0.1:${ports.base}`;
}

async function waitUntilItAnswers(
  app: RunningApp,
  process: RoomProcess,
  options: StartOptions,
): Promise<string | null> {
  const { clock, deadlines, signal } = options;
  let ended: Awaited<RoomProcess['exited']> | null = null;
  void process.exited.then(end => {
    ended = end;
  });
  const deadline = clock.monotonic() + deadlines.startMs;
  while (clock.monotonic() < deadline) {
    if (signal.aborted) return 'the start was interrupted';
    if (ended)
      return `${INIT_FILE} start ended at once (${describeEnd(ended)}); it must keep running in the foreground`;
    if (await answers(app.baseUrl)) return null;
    await clock.sleep(PROBE_EVERY_MS);
  }
  return `${INIT_FILE} start did not answer at ${app.baseUrl} within ${seconds(deadlines.startMs)}; it must listen on 127.0.0.1 and port $PORT`;
}

/** Any HTTP answer counts, whatever its status: the spec judges what it says. */
function answers(url: string): Promise<boolean> {
  return new Promise(resolve => {
    const probe = request(url, { timeout: PROBE_TIMEOUT_MS }, response => {
      response.destroy();
      resolve(true);
    });
    probe.on('timeout', () => probe.destroy());
    probe.on('error', () => resolve(false));
    probe.end();
  });
}

function failure(problem: string, log: string): StartResult {
  return { ok: false, problem: describe(problem, log) };
}

function describe(problem: string, log: string): string {
  const tail = log.trim().slice(-LOG_TAIL_CHARACTERS);
  return tail === '' ? `${problem}. It printed nothing.` : `${problem}. Its last output:\n${tail}`;
}

function describeEnd({ code, signal }: { code: number | null; signal: string | null }): string {
  return signal ? `signal ${signal}` : `exit code ${code}`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
