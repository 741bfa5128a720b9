// A shell in a room of its own, with short ways to run a command and one of the case library's scripts.

import { fileURLToPath } from 'node:url';
import { systemClock } from '../../harness/base/clock.js';
import { openShell, type Shell, type ShellCall, type ShellResult } from '../../harness/workspace/shell.js';
import { type TestRoom, testRoom } from './test-room.js';

export interface TestShell extends TestRoom {
  shell: Shell;
  run(command: string, call?: Partial<ShellCall>): Promise<ShellResult>;
}

export function testShell(env: Record<string, string> = {}): TestShell {
  const parts = testRoom();
  const shell = openShell({ room: parts.room, cwd: parts.app, env, clock: systemClock });
  const run: TestShell['run'] = (command, call) => shell.run(command, { timeoutMs: 20_000, ...call });
  return { ...parts, shell, run };
}

/** Absolute path of a script of the case library. */
export function casePath(name: string): string {
  return fileURLToPath(new URL(`../fixtures/cases/${name}`, import.meta.url));
}
