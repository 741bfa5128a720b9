// One process holds a run. On Linux the kernel keeps the lock, so it is free the moment its holder is dead.

import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { hostname, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { lock as lockFile } from 'proper-lockfile';
import { writeFileDurably } from '../base/atomic-file.js';
import { LonghaulError, systemCode } from '../base/errors.js';
import { shellWord } from '../base/shell-word.js';
import type { App } from './app.js';
import { type ControlRequest, newToken, sendControl, serveControl } from './run-control.js';

/** Who holds the run, for messages, and the token by which it may be asked; the lock itself decides. */
export interface Holder {
  pid: number;
  host: string;
  startedAt: string;
  token: string;
}

export interface RunLock {
  release(): Promise<void>;
}

export interface LockOptions {
  startedAt: number;
  /** Called for each request that carries the token. */
  onControl?: (request: ControlRequest) => void;
  system?: NodeJS.Platform;
}

/** A holder that is alive refreshes the lock file every 2 s; one that is silent for this long is taken for dead. */
const STALE_MS = 10_000;
const REFRESH_MS = 2_000;

/**
 * Takes the run's lock, before anything of the run is read.
 * @throws LonghaulError `held` naming the process that has it.
 */
export async function acquireRunLock(app: App, options: LockOptions): Promise<RunLock> {
  const system = options.system ?? platform();
  const token = newToken();
  const server = createServer(socket => serveControl(socket, token, options.onControl ?? (() => {})));
  const lock = system === 'linux' ? await listen(server, app, system) : await lockByFile(server, app, system);
  if (!lock) throw heldError(app);
  const startedAt = new Date(options.startedAt).toISOString();
  const holder: Holder = { pid: process.pid, host: hostname(), startedAt, token };
  writeFileDurably(holderPath(app), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  return lock;
}

/** The refusal of a second process. */
export function heldError(app: App): LonghaulError {
  const dir = shellWord(app.root);
  const other = readHolder(app);
  const who = other ? `process ${other.pid}, since ${other.startedAt}` : 'another process';
  return new LonghaulError(
    'held',
    `${app.root} is being built by ${who}; stop that one first (longhaul stop ${dir}), or watch it (longhaul status ${dir}).`,
  );
}

/** Who wrote the run's record last, alive or not; null when nobody did. */
export function readHolder(app: App): Holder | null {
  try {
    return JSON.parse(readFileSync(holderPath(app), 'utf8'));
  } catch {
    return null;
  }
}

/** True when some process holds the run now. It only looks: a process that starts meanwhile is not in its way. */
export function isHeld(app: App, system: NodeJS.Platform = platform()): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(socketAddress(app, system));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Asks the process that holds the run; false when there is none or it does not answer. */
export async function askHolder(app: App, request: ControlRequest): Promise<boolean> {
  const holder = readHolder(app);
  return holder !== null && sendControl(socketAddress(app, platform()), holder.token, request);
}

/** Binds the socket; null when somebody else has it. */
function listen(server: Server, app: App, system: NodeJS.Platform): Promise<RunLock | null> {
  return new Promise((resolve, reject) => {
    server.once('error', error => (systemCode(error) === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(socketAddress(app, system), () => {
      server.unref();
      resolve({ release: () => new Promise(done => server.close(() => done())) });
    });
  });
}

/** Where a socket leaves a file behind when its process is killed, a lock file decides and the socket only listens. */
async function lockByFile(server: Server, app: App, system: NodeJS.Platform): Promise<RunLock | null> {
  let unlock: () => Promise<void>;
  try {
    unlock = await lockFile(app.state, {
      stale: STALE_MS,
      update: REFRESH_MS,
      lockfilePath: join(app.state, 'run.lock'),
    });
  } catch (error) {
    if (systemCode(error) === 'ELOCKED') return null;
    throw error;
  }
  rmSync(socketAddress(app, system), { force: true });
  const listening = await listen(server, app, system);
  return {
    release: async () => {
      await listening?.release();
      await unlock();
    },
  };
}

function holderPath(app: App): string {
  return join(app.state, 'run.json');
}

/** On Linux a name in the kernel's table and no file: nothing is left by SIGKILL, and nobody can delete it. */
function socketAddress({ gitDir }: App, system: NodeJS.Platform): string {
  const name = `longhaul-${createHash('sha256').update(gitDir).digest('hex').slice(0, 32)}`;
  return system === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}
