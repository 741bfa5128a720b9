// One git command as a process, for plumbing. simple-git waits 50 ms after each command that prints nothing, which is most
// of what writes a tree or moves a ref, and takes no standard input.

import { spawn } from 'node:child_process';
import { LonghaulError } from '../base/errors.js';

export interface GitCommand {
  root: string;
  /** The whole environment of git. */
  env: Readonly<Record<string, string>>;
  args: readonly string[];
  /** Standard input; closed without it. */
  input?: string;
}

export interface GitEnd {
  /** Null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Resolves with how it ended. @throws LonghaulError `git` when git cannot be started. */
export function gitProcess({ root, env, args, input }: GitCommand): Promise<GitEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...args], { cwd: root, env: { ...env }, stdio: 'pipe' });
    const out: Buffer[] = [];
    const complaints: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
    // A git that ends before it has read all says why by its exit code.
    child.stdin.on('error', () => {});
    child.on('error', cause =>
      reject(new LonghaulError('git', `git cannot be started: ${cause.message}`, { cause })),
    );
    child.on('close', code => {
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(complaints).toString() });
    });
    child.stdin.end(input ?? '');
  });
}
