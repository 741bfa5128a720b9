// The agent's shell: one bash that keeps folder and variables from call to call, and comes back whatever a call does to it.

import { lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BoundedOutput } from '../base/bounded-output.js';
import type { Clock } from '../base/clock.js';
import { oneLine } from '../base/cut-text.js';
import { firstOf } from '../base/deadline.js';
import { LonghaulError } from '../base/errors.js';
import { newId } from '../base/ids.js';
import { BashProcess, type CallEnd } from './bash-process.js';
import { processesOfCall } from './call-processes.js';
import { endCall } from './end-call.js';
import { processTable } from './process-table.js';
import { findByMarker, nameOf } from './processes.js';
import type { Room } from './room.js';
import { callScript, type ShellFiles } from './shell-script.js';

export interface ShellResult {
  /** Exit code; 128 + n for a signal that ended bash itself; null when the call was cut short. */
  code: number | null;
  /** Standard output and error in their order, as a terminal would show them, cut in the middle. May be empty. */
  output: string;
  /** What background processes of earlier calls printed since the last call. What they print during a call is in `output`. */
  background: string;
  timedOut: boolean;
  interrupted: boolean;
  /** Command lines that had to be ended because the call was cut short. */
  killed: string[];
  /**
   * Whether there is a new bash in the same folder, without the variables and functions of the old one: because this call
   * ended it (or it had to be ended), or because it was already gone when the call began.
   */
  restarted: 'by_call' | 'before_call' | null;
  /** The folder that was gone when the call began; it ran in the shell's first folder instead. */
  lostFolder: string | null;
  /** Current folder after the call. */
  cwd: string;
  ms: number;
}

export interface ShellCall {
  timeoutMs: number;
  signal?: AbortSignal;
  /** Of `output`. */
  maxCharacters?: number;
}

export interface Shell {
  /** Where the shell began, and where it returns to when its folder is gone. */
  readonly root: string;
  /** Calls run one after the other. Never rejects for what a command does. */
  run(command: string, call: ShellCall): Promise<ShellResult>;
  /** Ends bash and its group, after the calls before it; the next call gets a new one in `root`. */
  restart(): Promise<void>;
  /** Ends bash and its group; processes with a group of their own end with the room. */
  close(): Promise<void>;
}

export interface ShellOptions {
  room: Room;
  cwd: string;
  env: Readonly<Record<string, string>>;
  clock: Clock;
  /** For files of the shell's own and the rest of long outputs; default in the room's scratch folder. */
  folder?: string;
}

const DEFAULT_CHARACTERS = 20_000;
const BACKGROUND_CHARACTERS = 1_500;
/** Files with long outputs of older calls are removed. */
const KEPT_OUTPUTS = 20;
const COMMAND_CHARACTERS = 80;

export function openShell(options: ShellOptions): Shell {
  return new PersistentShell(options);
}

class PersistentShell implements Shell {
  readonly root: string;
  readonly #room: Room;
  readonly #env: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  readonly #folder: string;
  readonly #files: ShellFiles;
  #cwd: string;
  #bash: BashProcess | null = null;
  readonly #opened: BashProcess[] = [];
  #stray = strayOutput();
  #calls = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor({ room, cwd, env, clock, folder = join(room.scratch, 'shell') }: ShellOptions) {
    this.root = cwd;
    this.#cwd = cwd;
    this.#room = room;
    this.#env = env;
    this.#clock = clock;
    this.#folder = folder;
    this.#files = { command: join(folder, 'command'), lastFolder: join(folder, 'last-folder') };
  }

  run(command: string, call: ShellCall): Promise<ShellResult> {
    const result = this.#queue.then(() => this.#run(command, call));
    this.#queue = result.catch(() => {});
    return result;
  }

  restart(): Promise<void> {
    const done = this.#queue.then(async () => {
      await this.#bash?.killGroup();
      this.#bash = null;
      this.#cwd = this.root;
    });
    this.#queue = done.catch(() => {});
    return done;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const bash of this.#opened) await bash.killGroup();
  }

  async #run(command: string, { timeoutMs, signal, maxCharacters }: ShellCall): Promise<ShellResult> {
    if (this.#closed) throw new LonghaulError('fault', 'The shell is closed; no command can run in it.');
    const begun = this.#clock.monotonic();
    if (signal?.aborted) return this.#notRun();
    const number = ++this.#calls;
    const folderBefore = this.#cwd;
    this.#writeCommand(command);
    rmSync(this.#outputPath(number - KEPT_OUTPUTS), { force: true });
    const bashWasGone = this.#bash !== null && !this.#bash.alive;
    const bash = this.#bash?.alive ? this.#bash : this.#open();
    const movedAtOpen = this.#cwd !== folderBefore;
    const background = this.#takeStray();
    const output = new BoundedOutput({
      limit: { characters: maxCharacters ?? DEFAULT_CHARACTERS },
      spill: { path: this.#outputPath(number) },
    });

    const callMarker = `${this.#room.marker}.c${number}`;
    const before = new Set(findByMarker(this.#room.marker).map(nameOf));
    const traces = { roomMarker: this.#room.marker, callMarker, shellPid: bash.pid, before };
    const mark = newId();
    const script = callScript({ files: this.#files, mark, marker: callMarker, root: this.root });
    let isOver = false;
    const ended = bash
      .run(script, mark, chunk => output.write(chunk))
      .finally(() => {
        isOver = true;
      });

    const first = await firstOf(ended, { ms: timeoutMs, clock: this.#clock, signal });
    const wasIn = first === 'ended' ? null : folderOf(bash.pid);
    const killed =
      first === 'ended'
        ? []
        : await endCall({
            bash,
            find: () => processesOfCall(processTable(), traces),
            isOver: () => isOver,
            clock: this.#clock,
          });
    const end = await ended;
    this.#settle(end, bash, wasIn);
    return {
      code: first === 'ended' ? end.code : null,
      output: this.#withoutOwnPath(output.finish().text),
      background,
      timedOut: first === 'timeout',
      interrupted: first === 'signal',
      killed: killed.map(({ command }) => oneLine(command, COMMAND_CHARACTERS)),
      restarted: this.#bash === null ? 'by_call' : bashWasGone ? 'before_call' : null,
      lostFolder: end.moved || movedAtOpen ? folderBefore : null,
      cwd: this.#cwd,
      ms: Math.round(this.#clock.monotonic() - begun),
    };
  }

  /** The session was interrupted before this call's turn came. */
  #notRun(): ShellResult {
    return {
      code: null,
      output: '',
      background: '',
      timedOut: false,
      interrupted: true,
      killed: [],
      restarted: null,
      lostFolder: null,
      cwd: this.#cwd,
      ms: 0,
    };
  }

  /** A new bash, in the folder of the last one. */
  #open(): BashProcess {
    if (!isFolder(this.#cwd)) this.#cwd = this.root;
    const bash = new BashProcess({
      room: this.#room,
      cwd: this.#cwd,
      env: this.#env,
      files: this.#files,
      clock: this.#clock,
      onStray: chunk => this.#stray.write(chunk),
    });
    this.#opened.push(bash);
    this.#bash = bash;
    return bash;
  }

  /** Takes over the folder that the call ended in; forgets a bash that has ended. */
  #settle(end: CallEnd, bash: BashProcess, wasIn: string | null): void {
    if (end.kind === 'done') this.#cwd = end.folder;
    else this.#cwd = readText(this.#files.lastFolder) ?? wasIn ?? this.#cwd;
    if (end.kind === 'exited' || !bash.alive) this.#bash = null;
  }

  #writeCommand(command: string): void {
    mkdirSync(this.#folder, { recursive: true });
    for (const file of Object.values(this.#files)) rmSync(file, { recursive: true, force: true });
    // Exclusively: what a command may have laid there is not written through.
    writeFileSync(this.#files.command, `${command}\n`, { flag: 'wx' });
  }

  #outputPath(number: number): string {
    return join(this.#folder, `output-${number}.txt`);
  }

  #takeStray(): string {
    const { text } = this.#stray.finish();
    this.#stray = strayOutput();
    return text;
  }

  /** Bash names the file that a command is read from in its complaints; to the agent there is only a shell. */
  #withoutOwnPath(text: string): string {
    return text.replaceAll(`${this.#files.command}: `, 'bash: ');
  }
}

function strayOutput(): BoundedOutput {
  return new BoundedOutput({ limit: { characters: BACKGROUND_CHARACTERS } });
}

/** The folder of a living process, where the platform tells. */
function folderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** Only of a plain file: reading a pipe that a command laid there would stop the harness. */
function readText(path: string): string | null {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return null;
  return readFileSync(path, 'utf8') || null;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
