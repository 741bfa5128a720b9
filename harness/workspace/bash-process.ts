// One bash over pipes: takes a call at a time and says how it ended. What a shell is across several of these is in shell.ts.

import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../base/clock.js';
import { LonghaulError } from '../base/errors.js';
import { MarkSplitter } from './mark-splitter.js';
import type { Room, RoomProcess } from './room.js';
import { openingScript, parseAnswer, type ShellFiles } from './shell-script.js';

export type CallEnd =
  | { kind: 'done'; code: number; folder: string; moved: boolean }
  /** Bash itself has ended: by `exit`, `set -e`, `exec` or a signal. */
  | { kind: 'exited'; code: number; moved: boolean };

interface RunningCall {
  mark: string;
  splitter: MarkSplitter;
  onOutput(chunk: Buffer): void;
  settle(end: CallEnd): void;
  moved: boolean;
  done: { code: number; folder: string } | null;
  markSeen: boolean;
}

export interface BashProcessOptions {
  room: Room;
  cwd: string;
  env: Readonly<Record<string, string>>;
  files: ShellFiles;
  clock: Clock;
  /** Output between calls: of processes that earlier calls left in the background. */
  onStray(chunk: Buffer): void;
}

/** A pipe that is quiet for so long after bash ended has given its last words. */
const QUIET_MS = 25;
/** Background processes may go on printing into it for ever. */
const LAST_WORDS_MS = 500;

export class BashProcess {
  readonly pid: number;
  readonly exited: RoomProcess['exited'];
  alive = true;
  readonly #process: RoomProcess;
  readonly #clock: Clock;
  readonly #stdin: Writable;
  readonly #onStray: (chunk: Buffer) => void;
  #call: RunningCall | null = null;
  #received = 0;
  #answers = '';

  constructor({ room, cwd, env, files, clock, onStray }: BashProcessOptions) {
    this.#process = room.start({ argv: ['bash', '--noprofile', '--norc'], cwd, env }, [
      'pipe',
      'pipe',
      'ignore',
      'pipe',
    ]);
    this.#clock = clock;
    this.#onStray = onStray;
    this.pid = this.#process.pid;
    this.exited = this.#process.exited;
    const [stdin, stdout, , answers] = this.#process.child.stdio;
    if (!stdin || !stdout || !answers)
      throw new LonghaulError('process', 'bash was started without its pipes.');
    this.#stdin = stdin;
    // Bash may end at any time; writing to it then is no fault of ours.
    for (const stream of [stdin, stdout, answers]) stream.on('error', () => {});
    stdout.on('data', (chunk: Buffer) => this.#takeOutput(chunk));
    (answers as Readable).on('data', (chunk: Buffer) => this.#takeAnswers(chunk));
    void this.exited.then(exit => this.#takeExit(exit));
    this.#stdin.write(openingScript(files));
  }

  /** One call at a time. Resolves when the call is over and all that it printed itself has been handed on. */
  run(script: string, mark: string, onOutput: (chunk: Buffer) => void): Promise<CallEnd> {
    return new Promise(settle => {
      const splitter = new MarkSplitter(mark);
      this.#call = { mark, splitter, onOutput, settle, moved: false, done: null, markSeen: false };
      this.#stdin.write(script);
    });
  }

  /** Ends bash alone; what it left in the background lives on. */
  async killAlone(): Promise<void> {
    if (this.alive) this.#process.child.kill('SIGKILL');
    await this.exited;
  }

  /** Ends bash and its whole group. */
  async killGroup(): Promise<void> {
    await this.#process.kill();
  }

  #takeOutput(chunk: Buffer): void {
    this.#received += chunk.length;
    const call = this.#call;
    if (!call || call.markSeen) {
      this.#onStray(chunk);
      return;
    }
    const { before, found, after } = call.splitter.push(chunk);
    if (before.length > 0) call.onOutput(before);
    if (!found) return;
    call.markSeen = true;
    if (after.length > 0) this.#onStray(after);
    this.#settleIfDone(call);
  }

  #takeAnswers(chunk: Buffer): void {
    // Latin-1 keeps bytes as they are: a folder's name may be split between two chunks.
    const parts = (this.#answers + chunk.toString('latin1')).split('\0');
    this.#answers = parts.pop() ?? '';
    const call = this.#call;
    if (!call) return;
    for (const part of parts) {
      const answer = parseAnswer(Buffer.from(part, 'latin1').toString('utf8'), call.mark);
      if (answer?.kind === 'moved') call.moved = true;
      if (answer?.kind === 'done') call.done = answer;
    }
    this.#settleIfDone(call);
  }

  #settleIfDone(call: RunningCall): void {
    if (!call.done || !call.markSeen || this.#call !== call) return;
    this.#call = null;
    const { code, folder } = call.done;
    call.settle({ kind: 'done', code, folder, moved: call.moved });
  }

  async #takeExit({ code, signal }: { code: number | null; signal: NodeJS.Signals | null }): Promise<void> {
    this.alive = false;
    await this.#lastWords();
    const call = this.#call;
    if (!call) return;
    this.#call = null;
    const rest = call.splitter.rest();
    if (rest.length > 0) call.onOutput(rest);
    call.settle({
      kind: 'exited',
      code: code ?? 128 + (signal ? constants.signals[signal] : 0),
      moved: call.moved,
    });
  }

  async #lastWords(): Promise<void> {
    const deadline = this.#clock.monotonic() + LAST_WORDS_MS;
    for (let before = -1; before !== this.#received && this.#clock.monotonic() < deadline; ) {
      before = this.#received;
      await this.#clock.sleep(QUIET_MS);
    }
  }
}
