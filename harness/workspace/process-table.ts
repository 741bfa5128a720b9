// Which processes of this user run now, and which room each was started in. Only this file knows the platform.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { getuid, platform } from 'node:process';
import { MARKER_VARIABLE } from './room-environment.js';

export interface ProcessInfo {
  readonly pid: number;
  readonly ppid: number;
  /** Process group. */
  readonly pgid: number;
  /** When it started, in the platform's own words: with the pid it names one process for good. */
  readonly started: string;
  /** The value of $LONGHAUL_ROOM that it was started with, if any. */
  readonly marker: string | null;
  /** Its command line, for people. */
  readonly command: string;
}

/** All living processes of this user. Zombies are dead. */
export function processTable(): ProcessInfo[] {
  return platform === 'linux' ? linuxTable() : psTable();
}

/** True while `info` names a living process, and not another one that got its pid later. */
export function isSameProcess(info: ProcessInfo): boolean {
  return startOf(info.pid) === info.started;
}

/** When the living process `pid` started, in the words of `ProcessInfo.started`. */
export function startOf(pid: number): string | null {
  if (platform === 'linux') return linuxStat(pid)?.started ?? null;
  try {
    return ps(['-p', String(pid), '-o', 'lstart=']).trim();
  } catch {
    return null; // ps ends with 1 when it finds nobody.
  }
}

function linuxTable(): ProcessInfo[] {
  const uid = getuid?.();
  const table: ProcessInfo[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const pid = Number(name);
    try {
      if (statSync(`/proc/${pid}`).uid !== uid) continue;
    } catch {
      continue; // It ended while we looked.
    }
    const stat = linuxStat(pid);
    if (!stat) continue;
    table.push({ pid, ...stat, marker: linuxMarker(pid), command: linuxCommand(pid) ?? stat.name });
  }
  return table;
}

interface LinuxStat {
  name: string;
  ppid: number;
  pgid: number;
  started: string;
}

/** The name stands in brackets and may itself hold blanks and brackets: fields are counted after the last one. */
function linuxStat(pid: number): LinuxStat | null {
  const text = readProc(pid, 'stat');
  if (text === null) return null;
  const close = text.lastIndexOf(')');
  const [state, ppid, pgid, ...rest] = text.slice(close + 2).split(' ');
  const started = rest[16];
  if (state === undefined || started === undefined || state === 'Z' || state === 'X') return null;
  return {
    name: text.slice(text.indexOf('(') + 1, close),
    ppid: Number(ppid),
    pgid: Number(pgid),
    started,
  };
}

function linuxMarker(pid: number): string | null {
  const variables = readProc(pid, 'environ')?.split('\0');
  const found = variables?.find(variable => variable.startsWith(`${MARKER_VARIABLE}=`));
  return found?.slice(MARKER_VARIABLE.length + 1) ?? null;
}

function linuxCommand(pid: number): string | null {
  const words = readProc(pid, 'cmdline')?.split('\0').join(' ').trim();
  return words ? words : null;
}

/** Null when the process has ended meanwhile, or does not let us look. */
function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}

/** `lstart` is five words; `-E` puts the variables behind the command line. */
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s(.*)$/;
const PS_MARKER = new RegExp(`\\s${MARKER_VARIABLE}=(\\S+)`);

/** macOS and others. Not tried on a real machine yet. */
function psTable(): ProcessInfo[] {
  const columns = 'pid=,ppid=,pgid=,stat=,lstart=,command=';
  const text = ps(['-E', '-ww', '-U', String(getuid?.()), '-o', columns]);
  return text.split('\n').flatMap(line => {
    const [, pid, ppid, pgid, state, started, command] = PS_LINE.exec(line) ?? [];
    if (started === undefined || command === undefined || state?.startsWith('Z')) return [];
    const marker = PS_MARKER.exec(command)?.[1] ?? null;
    return [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), started, marker, command }];
  });
}

function ps(args: string[]): string {
  return execFileSync('ps', args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
