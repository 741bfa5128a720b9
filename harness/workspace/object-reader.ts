// Reads commits and files out of a repository through one `git cat-file --batch` that stays open: a process for each
// question would cost more than all the rest of a session's bookkeeping.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { LonghaulError } from '../base/errors.js';

export interface GitObject {
  /** 40 hex digits. */
  id: string;
  type: string;
  content: Buffer;
}

interface Question {
  resolve(object: GitObject | null): void;
  reject(error: Error): void;
}

/** `<id> <type> <size>`; anything else (`missing`, `ambiguous`) means that there is no such object. */
const HEADER = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)$/;
const LINE_FEED = 10;

export class ObjectReader {
  readonly #start: () => ChildProcessWithoutNullStreams;
  #child: ChildProcessWithoutNullStreams | null = null;
  readonly #asked: Question[] = [];
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Bytes of the answer that is coming in, once its header was read: a large file comes in many chunks. */
  #need = 0;

  /** @param env whole environment of git; `args` stand before the command. */
  constructor(root: string, env: Readonly<Record<string, string>>, args: readonly string[]) {
    this.#start = () =>
      spawn('git', [...args, 'cat-file', '--batch'], { cwd: root, env: { ...env }, stdio: 'pipe' });
  }

  /** The object of a name such as `HEAD^{commit}` or `main:features.json`, or null when there is none. */
  read(name: string): Promise<GitObject | null> {
    if (/[\n\0]/.test(name)) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject });
      const child = this.#open();
      holdProcess(child, true);
      child.stdin.write(`${name}\n`);
    });
  }

  #open(): ChildProcessWithoutNullStreams {
    if (this.#child) return this.#child;
    const child = this.#start();
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-500);
    });
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk, child));
    // A git that is gone shows at its exit; a write that finds it gone needs no second error.
    child.stdin.on('error', () => {});
    const over = (why: string) => {
      if (this.#child !== child) return;
      this.#child = null;
      this.#drop(Buffer.alloc(0), 0);
      const error = new LonghaulError('git', `git cat-file ended: ${complaint.trim() || why}`);
      for (const question of this.#asked.splice(0)) question.reject(error);
    };
    child.on('error', error => over(error.message));
    child.on('close', (code, signal) => over(signal ?? `exit code ${code}`));
    this.#child = child;
    return child;
  }

  #take(chunk: Buffer, child: ChildProcessWithoutNullStreams): void {
    if (this.#child !== child) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (;;) {
      const answer = this.#nextAnswer();
      if (!answer) break;
      this.#asked.shift()?.resolve(answer.object);
    }
    // Nothing asked: an idle reader must not keep our process alive.
    if (this.#asked.length === 0) holdProcess(child, false);
  }

  /** Takes one whole answer off the front of what has come, or nothing while it is incomplete. */
  #nextAnswer(): { object: GitObject | null } | null {
    if (this.#bytes < this.#need) return null;
    const data = Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [data];
    const end = data.indexOf(LINE_FEED);
    if (end < 0) return null;
    const header = HEADER.exec(data.toString('utf8', 0, end));
    if (!header) {
      this.#drop(data, end + 1);
      return { object: null };
    }
    const [, id = '', type = '', size = '0'] = header;
    const last = end + 1 + Number(size);
    this.#need = last + 1;
    if (data.length < this.#need) return null;
    const content = Buffer.from(data.subarray(end + 1, last));
    this.#drop(data, this.#need);
    return { object: { id, type, content } };
  }

  #drop(data: Buffer, bytes: number): void {
    this.#chunks = data.length > bytes ? [data.subarray(bytes)] : [];
    this.#bytes = data.length - bytes;
    this.#need = 0;
  }
}

/** Whether the child keeps this process from ending. When we end, it reads an end of input and ends too. */
function holdProcess(child: ChildProcessWithoutNullStreams, hold: boolean): void {
  const how = hold ? 'ref' : 'unref';
  child[how]();
  // Pipes of a child are sockets, which the types do not say.
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as Socket)[how]();
}
