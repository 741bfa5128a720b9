// A room in a temporary folder with an app folder beside it, both gone after the test.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { newId } from '../../harness/base/ids.js';
import { type BareRoomOptions, openBareRoom } from '../../harness/workspace/bare-room.js';
import type { Room } from '../../harness/workspace/room.js';

export interface TestRoom {
  room: Room;
  /** The app's folder. */
  app: string;
  marker: string;
}

export function testRoom(options: Partial<BareRoomOptions> = {}): TestRoom {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-room-')));
  const app = join(folder, 'app');
  mkdirSync(app);
  const marker = `test${newId()}.1.1`;
  const room = openBareRoom({
    folder: join(folder, 'room'),
    marker,
    clock: systemClock,
    host: {},
    ...options,
  });
  onTestFinished(async () => {
    await room.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { room, app, marker: room.marker };
}

/** Waits until `holds` is true; a hang guard of 10 s, no measure of time. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = systemClock.monotonic() + 10_000;
  while (!(await holds())) {
    if (systemClock.monotonic() > deadline) throw new Error(`still not so after 10 s: ${holds}`);
    await systemClock.sleep(20);
  }
}
