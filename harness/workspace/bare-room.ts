// The room without walls: its own environment, HOME, ports and processes, but the agent's commands run as this user.

import { spawn } from 'node:child_process';
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execPath, platform } from 'node:process';
import { BoundedOutput } from '../base/bounded-output.js';
import type { Clock } from '../base/clock.js';
import { firstOf } from '../base/deadline.js';
import { LonghaulError } from '../base/errors.js';
import { leasePorts, releasePorts } from './port-blocks.js';
import { type ProcessInfo, processTable, startOf } from './process-table.js';
import { familyOf, killAll, markerWithin, sendSignal, signalProcess, withRelatives } from './processes.js';
import { removeFolder } from './remove-folder.js';
import type { ExecResult, PortBlock, Room, RoomCommand, RoomProcess } from './room.js';
import { type GitIdentity, MARKER_VARIABLE, roomEnvironment } from './room-environment.js';

export interface BareRoomOptions {
  /** Of this room alone, outside the app; made if it is missing, removed by `close()`. */
  folder: string;
  /** `<run id>.<generation>.<n>`: no two rooms of one machine share one. */
  marker: string;
  clock: Clock;
  /** The harness's own environment, of which a few harmless variables are handed on. */
  host: Readonly<Record<string, string | undefined>>;
  identity?: GitIdentity;
  extraEnv?: Readonly<Record<string, string>>;
}

const DEFAULT_OUTPUT_BYTES = 64 * 1024;
/** How long `exec` waits for the last bytes of a pipe that somebody else still holds open. */
const DRAIN_MS = 200;
const POLL_MS = 20;

export function openBareRoom(options: BareRoomOptions): Room {
  return new BareRoom(options);
}

class BareRoom implements Room {
  readonly walls = 'none';
  readonly marker: string;
  readonly folder: string;
  readonly scratch: string;
  readonly #clock: Clock;
  readonly #env: Record<string, string>;
  readonly #blocks: PortBlock[] = [];
  /** Pid and start of the leaders of our groups: what leads one is ours even if it threw its environment away. */
  readonly #leaders = new Map<number, string | null>();
  #closing: Promise<void> | null = null;

  constructor({ folder, marker, clock, host, identity, extraEnv }: BareRoomOptions) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.folder = realpathSync(folder);
    this.scratch = join(this.folder, 'scratch');
    this.marker = marker;
    this.#clock = clock;
    const home = join(this.folder, 'home');
    const temp = join(this.folder, 'tmp');
    for (const made of [home, temp, this.scratch]) mkdirSync(made, { recursive: true });
    this.#env = roomEnvironment({
      host,
      marker,
      home,
      temp,
      nodeFolder: dirname(execPath),
      platform,
      ...(identity ? { identity } : {}),
      ...(extraEnv ? { extra: extraEnv } : {}),
    });
  }

  start(command: RoomCommand, stdio: Parameters<Room['start']>[1] = 'ignore'): RoomProcess {
    const [program, ...args] = command.argv;
    if (this.#closing) throw new LonghaulError('fault', `The room is closed; ${program} cannot start in it.`);
    if (!isFolder(command.cwd)) {
      throw new LonghaulError('process', `${program} cannot start: there is no folder ${command.cwd}.`);
    }
    const child = spawn(program, args, {
      cwd: command.cwd,
      env: { ...this.#env, ...command.env, [MARKER_VARIABLE]: this.marker },
      stdio,
      detached: true,
    });
    const { pid } = child;
    const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(resolve => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    // Without a listener a failed start would end the harness; the missing pid tells of it.
    child.on('error', () => {});
    if (pid === undefined) {
      throw new LonghaulError('process', `${program} cannot be started in ${command.cwd}; is it installed?`);
    }
    this.#leaders.set(pid, startOf(pid));
    return { pid, child, exited, kill: graceMs => this.#killGroup(pid, exited, graceMs ?? 0) };
  }

  async exec(command: RoomCommand, limits: Parameters<Room['exec']>[1]): Promise<ExecResult> {
    const { timeoutMs, maxOutputBytes = DEFAULT_OUTPUT_BYTES, signal } = limits;
    const begun = this.#clock.monotonic();
    // One pipe for both streams keeps their order. It also makes a missing program a result (code 127).
    const { child, pid, exited } = this.start(
      { ...command, argv: ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...command.argv] },
      ['ignore', 'pipe', 'ignore'],
    );
    const output = new BoundedOutput({ limit: { bytes: maxOutputBytes } });
    child.stdout?.on('data', (chunk: Buffer) => output.write(chunk));
    const closed = new Promise<void>(resolve => child.stdout?.once('close', resolve));

    const first = await firstOf(exited, { ms: timeoutMs, clock: this.#clock, signal });
    if (first !== 'ended') await killAll(familyOf(pid), { clock: this.#clock });
    await this.#killGroup(pid, exited, 0);
    await firstOf(closed, { ms: DRAIN_MS, clock: this.#clock });
    child.stdout?.destroy();
    return {
      code: first === 'ended' ? (await exited).code : null,
      timedOut: first === 'timeout',
      output: output.finish().text,
      ms: Math.round(this.#clock.monotonic() - begun),
    };
  }

  async ports(): Promise<PortBlock> {
    const block = await leasePorts();
    this.#blocks.push(block);
    return block;
  }

  processes(): number[] {
    return this.#living().map(({ pid }) => pid);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #living(): ProcessInfo[] {
    const table = processTable();
    const pids = new Set(table.map(({ pid }) => pid));
    const isOurs = (info: ProcessInfo) =>
      markerWithin(info.marker, this.marker) ||
      this.#leaders.get(info.pid) === info.started ||
      // The rest of a group whose leader has ended; with another leader of that pid it would be another group.
      (this.#leaders.has(info.pgid) && !pids.has(info.pgid));
    return withRelatives(table.filter(isOurs), table);
  }

  async #killGroup(pid: number, exited: RoomProcess['exited'], graceMs: number): Promise<void> {
    const members = () => this.#living().filter(({ pgid }) => pgid === pid);
    // Asking the kernel is cheaper than reading the process table, and most groups end by themselves.
    if (sendSignal(-pid, 0)) {
      if (graceMs > 0) await this.#askToEnd(members, graceMs);
      const { left } = await killAll(members, { clock: this.#clock });
      if (left.length > 0) return;
    }
    await exited;
    this.#leaders.delete(pid);
  }

  async #askToEnd(members: () => ProcessInfo[], graceMs: number): Promise<void> {
    const deadline = this.#clock.monotonic() + graceMs;
    for (const member of members()) signalProcess(member, 'SIGTERM');
    while (members().length > 0 && this.#clock.monotonic() < deadline) await this.#clock.sleep(POLL_MS);
  }

  async #close(): Promise<void> {
    const { left } = await killAll(() => this.#living(), { clock: this.#clock });
    for (const block of this.#blocks) releasePorts(block);
    await removeFolder(this.folder);
    if (left.length > 0) {
      const names = left.map(({ pid, command }) => `${pid} (${command})`).join(', ');
      throw new LonghaulError(
        'process',
        `These processes of the app cannot be ended: ${names}. End them by hand.`,
      );
    }
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
