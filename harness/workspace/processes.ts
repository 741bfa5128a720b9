// Finds the processes of a room by their marker, also those that left their group or parent, and ends them for good.

import { pid as ownPid } from 'node:process';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { systemCode } from '../base/errors.js';
import { isSameProcess, type ProcessInfo, processTable } from './process-table.js';

/** Between two rounds of killing: long enough for the kernel to bury the dead. */
const ROUND_MS = 10;
/** A process that lives after so many rounds (about 5 s) cannot be killed by us. */
const ROUNDS = 500;

/** Markers are paths of names with dots between: `run1.2` holds `run1.2` and `run1.2.7`, but not `run1.20`. */
export function markerWithin(marker: string | null, prefix: string): boolean {
  if (marker === null) return false;
  return marker === prefix || marker.startsWith(prefix.endsWith('.') ? prefix : `${prefix}.`);
}

/** Living processes whose marker lies within `prefix`, also of an earlier harness, with what belongs to them. */
export function findByMarker(prefix: string, table = processTable()): ProcessInfo[] {
  return withRelatives(
    table.filter(({ marker }) => markerWithin(marker, prefix)),
    table,
  );
}

/**
 * `seeds`, their descendants, and everything in a group that one of these is in: a child that was started with an empty
 * environment has no marker. Groups are inherited by forks only, and this process starts each room's with a group of its own.
 */
export function withRelatives(seeds: readonly ProcessInfo[], table: readonly ProcessInfo[]): ProcessInfo[] {
  const ownGroup = table.find(({ pid }) => pid === ownPid)?.pgid;
  const found = new Set(seeds.filter(({ pid }) => pid !== ownPid));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    const pids = new Set([...found].map(({ pid }) => pid));
    const groups = new Set([...found].map(({ pgid }) => pgid));
    for (const info of table) {
      if (info.pid === ownPid) continue;
      const ofGroup = info.pgid !== ownGroup && groups.has(info.pgid);
      if (ofGroup || pids.has(info.ppid)) found.add(info);
    }
  }
  return [...found];
}

/**
 * Finds a process and all that came from it, call by call: what was once seen of the family stays in it when its parent is
 * gone and it belongs to process 1.
 */
export function familyOf(pid: number): () => ProcessInfo[] {
  const known = new Set<string>();
  return () => {
    const table = processTable();
    const seeds = table.filter(info => (known.size === 0 ? info.pid === pid : known.has(nameOf(info))));
    const family = withRelatives(seeds, table);
    for (const info of family) known.add(nameOf(info));
    return family;
  };
}

/** Names one process for good, also when its pid is used again. */
export function nameOf({ pid, started }: Pick<ProcessInfo, 'pid' | 'started'>): string {
  return `${pid} ${started}`;
}

export interface KillResult {
  killed: ProcessInfo[];
  /** What could not be killed: of another user, or stuck in the kernel. */
  left: ProcessInfo[];
}

/** Kills what `find` finds until it finds nothing more: they may fork meanwhile. */
export async function killAll(
  find: () => ProcessInfo[],
  { clock = systemClock, rounds = ROUNDS }: { clock?: Clock; rounds?: number } = {},
): Promise<KillResult> {
  const killed = new Map<string, ProcessInfo>();
  for (let round = 0; round < rounds; round++) {
    const found = find();
    if (found.length === 0) return { killed: [...killed.values()], left: [] };
    for (const info of found) {
      if (signalProcess(info, 'SIGKILL')) killed.set(nameOf(info), info);
    }
    await clock.sleep(ROUND_MS);
  }
  const left = find();
  for (const info of left) killed.delete(nameOf(info));
  return { killed: [...killed.values()], left };
}

/** Ends every process whose marker lies within `prefix`; returns how many there were. */
export async function endByMarker(prefix: string, clock: Clock = systemClock): Promise<number> {
  const { killed } = await killAll(() => findByMarker(prefix), { clock });
  return killed.length;
}

/** False when the process has ended (a pid that another one got is never signalled) or is not ours to signal. */
export function signalProcess(info: ProcessInfo, signal: NodeJS.Signals): boolean {
  return isSameProcess(info) && sendSignal(info.pid, signal);
}

/** `target` is a pid, or the negative id of a group; signal 0 only asks whether there is somebody. */
export function sendSignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}
