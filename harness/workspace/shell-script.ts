// The lines that drive a persistent bash over its standard input. A command is a file that bash reads in, so that nothing in it
// can run into these lines, and so that a signal can make bash leave it.

import { MARKER_VARIABLE } from './room-environment.js';

/**
 * Descriptors of bash that no command sees: answers to the harness, and the real standard output, which survives an
 * `exec >file` in a command. Above 9, so that a command has the small ones to itself.
 */
const ANSWERS = 98;
const OUTPUT = 99;

/** Ends the command that runs: ignored by every program by default, so it hurts nobody who took bash's place. */
export const LEAVE_SIGNAL = 'SIGURG';

/** Leaves one function or sourced file. As a DEBUG trap it comes again before the next command, until all are left. */
const LEAVE = 'builtin return 124 2>/dev/null';

export interface ShellFiles {
  /** Text of the command that runs now. */
  command: string;
  /** Where bash writes its folder when it ends. */
  lastFolder: string;
}

/**
 * Standard error joins standard output once and for all, so that their order is kept. (`builtin exec` would take its
 * redirections back.)
 */
export function openingScript({ lastFolder }: ShellFiles): string {
  return lines(
    `exec ${ANSWERS}>&3 ${OUTPUT}>&1 3>&- 2>&1`,
    `builtin trap ${quoted(`builtin trap ${quoted(LEAVE)} DEBUG; ${LEAVE}`)} ${LEAVE_SIGNAL.slice(3)}`,
    `builtin trap ${quoted(`builtin printf %s "$PWD" 2>/dev/null >${quoted(lastFolder)}`)} EXIT`,
  );
}

export interface CallScriptOptions {
  files: ShellFiles;
  /** Random, new for each call. */
  mark: string;
  /** Value of $LONGHAUL_ROOM during this call, so that what it starts is known as its own. */
  marker: string;
  /** Where to go when the current folder is gone. */
  root: string;
}

/**
 * The mark is written in halves: with `set -v` bash prints these very lines. Tracing and `set -e` are the command's own
 * and end with it.
 */
export function callScript({ files, mark, marker, root }: CallScriptOptions): string {
  const half = Math.floor(mark.length / 2);
  const halves = `${quoted(mark.slice(0, half))} ${quoted(mark.slice(half))}`;
  return lines(
    `[ "$PWD" -ef . ] || builtin cd -- "$PWD" 2>/dev/null || {`,
    `  builtin cd -- ${quoted(root)}; builtin printf '%s%s moved\\0' ${halves} >&${ANSWERS}; }`,
    `builtin export ${MARKER_VARIABLE}=${quoted(marker)}`,
    `builtin source ${quoted(files.command)} </dev/null ${ANSWERS}>&- ${OUTPUT}>&-`,
    `{ __longhaul_code=$?; builtin trap - DEBUG; builtin set +exv; } 2>/dev/null`,
    `exec 1>&${OUTPUT} 2>&${OUTPUT}`,
    `builtin printf '%s%s done %s %s\\0' ${halves} "$__longhaul_code" "$PWD" >&${ANSWERS}`,
    `builtin printf '%s%s' ${halves} >&${OUTPUT}`,
  );
}

export type ShellAnswer = { kind: 'moved' } | { kind: 'done'; code: number; folder: string };

/** One answer without its final NUL; null when it is not of the call with this mark. */
export function parseAnswer(text: string, mark: string): ShellAnswer | null {
  if (!text.startsWith(`${mark} `)) return null;
  const [, kind, code, folder] = /^(moved|done) ?(\d*) ?(.*)$/s.exec(text.slice(mark.length + 1)) ?? [];
  if (kind === 'moved') return { kind };
  if (kind === 'done' && code && folder) return { kind, code: Number(code), folder };
  return null;
}

/** One word for a POSIX shell, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function lines(...all: string[]): string {
  return all.map(line => `${line}\n`).join('');
}
