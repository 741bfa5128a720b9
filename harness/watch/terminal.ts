// Where lines for people go: how wide it is, whether it shows colour, and a reader that goes away.

import { systemCode } from '../base/errors.js';

/** Width of what is no terminal and names none. */
const FILE_WIDTH = 80;
/** A terminal that says less is not believed. */
const NARROWEST = 20;

/** What is used of a standard stream. */
export interface OutputStream {
  write(text: string): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  isTTY?: boolean;
  columns?: number;
}

export interface Output {
  /** As it is now: a terminal may be made wider while a run goes on. */
  readonly width: number;
  /** Escape codes are allowed. */
  color: boolean;
  /** A person looks at it now. */
  terminal: boolean;
  /** Each with a line feed. Nothing happens once the reader has gone away. */
  lines(lines: readonly string[]): void;
  /** Aborted when nobody reads any more: `longhaul log DIR | head`. */
  gone: AbortSignal;
}

/** @param host variables of the process's environment. */
export function openOutput(stream: OutputStream, host: Readonly<Record<string, string | undefined>>): Output {
  const terminal = stream.isTTY === true;
  const gone = new AbortController();
  const failed = (error: Error) => {
    const code = systemCode(error);
    // A pipe whose reader is gone, or a terminal that is: its window was closed, its connection dropped.
    if (code !== 'EPIPE' && !(code === 'EIO' && terminal)) throw error;
    gone.abort();
  };
  stream.on('error', failed);
  return {
    get width() {
      return Math.max(terminal ? stream.columns || FILE_WIDTH : givenWidth(host), NARROWEST);
    },
    color: terminal && !host.NO_COLOR && host.TERM !== 'dumb',
    terminal,
    lines: lines => {
      if (lines.length > 0 && !gone.signal.aborted) stream.write(`${lines.join('\n')}\n`);
    },
    gone: gone.signal,
  };
}

function givenWidth({ COLUMNS }: Readonly<Record<string, string | undefined>>): number {
  const columns = Number(COLUMNS);
  return Number.isInteger(columns) && columns > 0 ? columns : FILE_WIDTH;
}
