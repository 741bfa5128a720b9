// A question on the terminal.

import { createInterface } from 'node:readline/promises';

/** True for y or yes; an end of input or Ctrl-D is a no. */
export async function askYesNo(
  question: string,
  output: NodeJS.WritableStream = process.stdout,
): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } catch {
    return false;
  } finally {
    terminal.close();
  }
}
