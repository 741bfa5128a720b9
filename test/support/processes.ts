// Waiting for what other processes do, and whether one lives.

import { execFileSync } from 'node:child_process';

export async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (condition()) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error('it did not happen within 30 s');
}

/** A zombie is dead: nobody has collected it yet. */
export function isAlive(pid: number): boolean {
  try {
    const state = execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return state !== '' && !state.startsWith('Z');
  } catch {
    return false;
  }
}
