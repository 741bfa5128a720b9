// Whether a tree comes up through its own init.sh from a clean checkout, and once more in the same one.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from './app.js';
import { appLogPath, runVerb, type StartOptions, startApp } from './running-app.js';

/** `init.sh` must be repeatable, so it comes up this often from the same checkout, its data kept. */
export const TIMES_UP = 2;

/**
 * Runs setup, start and smoke of the tree's init.sh, twice.
 * @returns what went wrong, as a sentence for the model; null when it came up each time.
 */
export async function cleanStart(
  app: App,
  tree: string,
  { room, clock, ports, deadlines, signal }: Omit<StartOptions, 'root' | 'dataDir' | 'fresh' | 'logPath'>,
): Promise<string | null> {
  const checkout = join(room.scratch, 'start-checkout');
  rmSync(checkout, { recursive: true, force: true });
  await app.git.checkoutTree(tree, checkout);
  for (let time = 1; time <= TIMES_UP; time++) {
    const started = await startApp({
      room,
      clock,
      root: checkout,
      ports,
      dataDir: join(room.scratch, 'start-data'),
      fresh: time === 1,
      logPath: appLogPath(app.state),
      deadlines,
      signal,
    });
    if (!started.ok) {
      const when =
        time === 1
          ? 'In a clean checkout of your files (without what .gitignore leaves out)'
          : 'The second time in the same checkout';
      return `${when}: ${started.problem}`;
    }
    const smoke = await runVerb({ room, root: checkout, signal }, 'smoke', started.app.env);
    await started.app.stop();
    if (smoke !== null) return `The app came up from a clean checkout, but ${smoke}`;
  }
  return null;
}
