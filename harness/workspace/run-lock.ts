// One process holds a run. On Linux the kernel keeps the lock, so it is free the moment its holder is dead.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { hostname, platform } from 'node:os';
import { join } from 'node:path';
import { check as checkLockFile, lock as lockFile } from 'proper-lockfile';
import { writeFileDurably } from '../base/atomic-file.js';
import { LonghaulError, systemCode } from '../base/errors.js';
import type { App } from './app.js';

/** Who holds the run, for messages; the lock itself decides. */
export interface Holder {
  pid: number;
  host: string;
  startedAt: string;
}

export interface RunLock {
  release(): Promise<void>;
}

/** A holder that is alive refreshes the lock file every 2 s; one that is silent for this long is taken for dead. */
const STALE_MS = 10_000;
const REFRESH_MS = 2_000;

/**
 * Takes the run's lock, before anything of the run is read.
 * @throws LonghaulError `held` naming the process that has it.
 */
export async function acquireRunLock(
  app: App,
  holder: Holder,
  system: NodeJS.Platform = platform(),
): Promise<RunLock> {
  const taken = system === 'linux' ? await bindAbstractSocket(app.gitDir) : await takeLockFile(app.state);
  if (!taken) {
    const other = readHolder(app);
    const who = other ? `process ${other.pid}, since ${other.startedAt}` : 'another process';
    throw new LonghaulError(
      'held',
      `${app.root} is being built by ${who}; stop that one first, or watch it with \`longhaul status ${app.root}\`.`,
    );
  }
  writeFileDurably(holderPath(app), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  return taken;
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
export async function isHeld(app: App, system: NodeJS.Platform = platform()): Promise<boolean> {
  if (system !== 'linux')
    return checkLockFile(app.state, { stale: STALE_MS, lockfilePath: lockFilePath(app.state) });
  return new Promise(resolve => {
    const socket = connect(socketName(app.gitDir));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

export function thisProcess(now: number): Holder {
  return { pid: process.pid, host: hostname(), startedAt: new Date(now).toISOString() };
}

function holderPath(app: App): string {
  return join(app.state, 'run.json');
}

/** A name in the kernel's table, not a file: nothing is left behind by SIGKILL, and nobody can delete it. */
function bindAbstractSocket(gitDir: string): Promise<RunLock | null> {
  const server: Server = createServer(socket => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', error => (systemCode(error) === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(socketName(gitDir), () => {
      server.unref();
      resolve({ release: () => new Promise(done => server.close(() => done())) });
    });
  });
}

async function takeLockFile(state: string): Promise<RunLock | null> {
  try {
    const release = await lockFile(state, {
      stale: STALE_MS,
      update: REFRESH_MS,
      lockfilePath: lockFilePath(state),
    });
    return { release };
  } catch (error) {
    if (systemCode(error) === 'ELOCKED') return null;
    throw error;
  }
}

function socketName(gitDir: string): string {
  return `\0longhaul-${createHash('sha256').update(gitDir).digest('hex').slice(0, 32)}`;
}

function lockFilePath(state: string): string {
  return join(state, 'run.lock');
}
