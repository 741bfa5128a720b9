// Starting a rig's run as a process of its own, whole or to be killed on the way.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../harness/base/package-root.js';
import type { RunFolder } from './run-folder.js';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Standard output and error. */
  output: string;
}

export interface RigOptions {
  /** As `test/support/kill-at.mjs` takes it. */
  killAt?: string;
  /** Options of `runCommand` over the rig's own. */
  options?: {
    flags?: Record<string, unknown>;
    resume?: boolean;
    plan?: boolean;
    retry?: string;
    mine?: 'commit' | 'stash';
    say?: string;
    detach?: boolean;
  };
}

/** Runs the rig to its end. */
export function runRig(folder: RunFolder, url: string, options: RigOptions = {}): Promise<Ended> {
  return endOf(startRig(folder, url, options));
}

export function startRig(folder: RunFolder, url: string, options: RigOptions = {}): ChildProcess {
  const { killAt } = options;
  return spawn(process.execPath, rigArguments(folder, options), {
    env: { ...folder.env(url), ...(killAt ? { KILL_AT: killAt } : {}) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** What Node gets to run the rig. */
export function rigArguments(folder: RunFolder, { killAt, options = {} }: RigOptions): string[] {
  const spec = join(folder.root, 'spec.md');
  if (!existsSync(spec)) writeFileSync(spec, '# A rig\n');
  const preload = killAt
    ? ['--import', pathToFileURL(join(packageRoot, 'test/support/kill-at.mjs')).href]
    : [];
  const script = join(packageRoot, 'test/support/rig-run.mjs');
  return [...preload, script, folder.app, spec, JSON.stringify(options)];
}

/** Runs the built command line. */
export function runCli(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return endOf(
    spawn(process.execPath, [join(packageRoot, 'dist/main.js'), ...args], {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

export function endOf(child: ChildProcess): Promise<Ended> {
  let output = '';
  const take = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  return new Promise(resolve => child.on('close', (code, signal) => resolve({ code, signal, output })));
}
