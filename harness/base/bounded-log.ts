// A log file that days of lines cannot make endless: what is old moves to a second file, what is older is gone.

import { appendFileSync, copyFileSync, statSync, truncateSync } from 'node:fs';
import { systemCode } from './errors.js';

export interface BoundedLog {
  /** Appends. A log that cannot be written (a full disk, a folder that is gone) stops nobody's work. */
  write(text: string): void;
}

/** @param most bytes of the file; `<path>.1` takes up as many again. */
export function boundedLog(path: string, most: number): BoundedLog {
  return {
    write: text => {
      unlessRefused(() => {
        if (sizeOf(path) + Buffer.byteLength(text) > most) turnOver(path);
        appendFileSync(path, text, { mode: 0o600 });
      });
    },
  };
}

/** Copied and emptied, not renamed: whoever else has it open for appending goes on in the same file. */
function turnOver(path: string): void {
  unlessRefused(() => copyFileSync(path, `${path}.1`));
  truncateSync(path);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}
