// The one place where processes whose code the agent wrote are started. What a room promises depends on its walls.

import type { ChildProcess } from 'node:child_process';

/** A command for a room. Its environment is the room's own (an allowlist, no keys) plus `env`. */
export interface RoomCommand {
  /** Program and arguments; no shell is involved unless the program is one. */
  argv: readonly [string, ...string[]];
  /** Absolute path of the working folder. */
  cwd: string;
  /** Variables on top of the room's environment. */
  env?: Readonly<Record<string, string>>;
}

/** A started process. It leads its own process group. */
export interface RoomProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Settles once, when the process itself has ended (its children may still hold pipes open). Never rejects. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Ends the whole group: TERM, then KILL after `graceMs` (default 0: KILL at once). Resolves when the leader is gone. */
  kill(graceMs?: number): Promise<void>;
}

/** What a command that runs to its end left behind. */
export interface ExecResult {
  /** Exit code, or null when a signal or the deadline ended it. */
  code: number | null;
  timedOut: boolean;
  /** Standard output and error as they came, head and tail kept within `maxOutputBytes`, cut at a character. */
  output: string;
  /** Wall time in ms. */
  ms: number;
}

/** Ten consecutive free ports on loopback; `base` is `$PORT`. */
export interface PortBlock {
  readonly base: number;
}

/**
 * Implementations must start every process with an environment made by allowlist and a throw-away HOME, and must not
 * let one outlive `close()`.
 */
export interface Room {
  /** What stands between the agent and this machine, for people: `none`, later `bubblewrap`, `seatbelt`. */
  readonly walls: string;
  /** The value of $LONGHAUL_ROOM in every process of the room, or the beginning of it; names the room for good. */
  readonly marker: string;
  /** Throw-away folder of this room (HOME and TMPDIR lie in it); removed by `close()`. */
  readonly folder: string;
  /** Throw-away folder for `$DATA_DIR` of the app and other scratch, inside `folder`. */
  readonly scratch: string;
  /** Starts a process. `stdio` is Node's; the default is nothing in, nothing out. */
  start(command: RoomCommand, stdio?: import('node:child_process').StdioOptions): RoomProcess;
  /** Runs a command to its end or its deadline; then its whole group is gone. Standard input is closed. */
  exec(
    command: RoomCommand,
    limits: { timeoutMs: number; maxOutputBytes?: number; signal?: AbortSignal },
  ): Promise<ExecResult>;
  /** A block of ports that no other block of this room overlaps. */
  ports(): Promise<PortBlock>;
  /** Pids of the processes of this room that are alive, leaders or not, also those that left their group. */
  processes(): number[];
  /** Ends every process of the room and removes its folder. */
  close(): Promise<void>;
}
