// Which processes one call of the shell started, and which belong to earlier calls that left theirs in the background. Pure.

import type { ProcessInfo } from './process-table.js';
import { markerWithin, nameOf } from './processes.js';

export interface CallTraces {
  roomMarker: string;
  /** $LONGHAUL_ROOM during the call; below the room's. */
  callMarker: string;
  shellPid: number;
  /** Names (`nameOf`) of the room's processes that were there when the call began. */
  before: ReadonlySet<string>;
}

/**
 * A process that ran a program since the call began carries the call's marker. One without it is a part of bash itself
 * (a subshell) or threw its environment away: then its nearest ancestor that can be told decides, and for an orphan its group.
 */
export function processesOfCall(table: readonly ProcessInfo[], traces: CallTraces): ProcessInfo[] {
  const byPid = new Map(table.map(info => [info.pid, info]));
  return table.filter(info => info.pid !== traces.shellPid && isOfCall(info, byPid, traces));
}

function isOfCall(info: ProcessInfo, byPid: ReadonlyMap<number, ProcessInfo>, traces: CallTraces): boolean {
  const { roomMarker, callMarker, shellPid, before } = traces;
  const shellGroup = byPid.get(shellPid)?.pgid ?? shellPid;
  let ofGroup = false;
  const seen = new Set<number>();
  for (let at: ProcessInfo | undefined = info; at && !seen.has(at.pid); at = byPid.get(at.ppid)) {
    seen.add(at.pid);
    if (at.pid === shellPid) return true;
    if (before.has(nameOf(at))) return false;
    if (markerWithin(at.marker, callMarker)) return true;
    if (at.marker !== roomMarker && markerWithin(at.marker, roomMarker)) return false;
    ofGroup ||= at.pgid === shellGroup;
  }
  return ofGroup;
}
