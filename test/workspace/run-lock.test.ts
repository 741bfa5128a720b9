import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';
import { acquireRunLock, isHeld, thisProcess } from '../../harness/workspace/run-lock.js';
import { makeTempApp, type TempApp } from '../support/temp-app.js';

let temp: TempApp;
beforeEach(async () => {
  temp = await makeTempApp();
});
afterEach(() => temp.dispose());

describe.each([
  ['the kernel', 'linux'],
  ['a lock file', 'darwin'],
] as const)('a lock kept by %s', (_, system) => {
  it('is held by one process at a time, and free when released', async () => {
    const lock = await acquireRunLock(temp.app, thisProcess(0), system);
    expect(await isHeld(temp.app, system)).toBe(true);
    await expect(acquireRunLock(temp.app, thisProcess(0), system)).rejects.toMatchObject({
      code: 'held',
      exitCode: 2,
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await lock.release();
    expect(await isHeld(temp.app, system)).toBe(false);
    await (await acquireRunLock(temp.app, thisProcess(0), system)).release();
  });
});

describe("the kernel's lock", () => {
  it('is free the moment its holder is killed', async () => {
    const script = `import { openApp } from ${JSON.stringify(pathToFileURL(join(packageRoot, 'dist/workspace/app.js')).href)};
import { acquireRunLock, thisProcess } from ${JSON.stringify(pathToFileURL(join(packageRoot, 'dist/workspace/run-lock.js')).href)};
await acquireRunLock(await openApp(${JSON.stringify(temp.app.root)}, process.env), thisProcess(Date.now()));
console.log('held'); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    expect(await isHeld(temp.app)).toBe(true);
    await expect(acquireRunLock(temp.app, thisProcess(0))).rejects.toThrow(`process ${holder.pid}`);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await (await acquireRunLock(temp.app, thisProcess(0))).release();
  });

  it('lets exactly one of many starts through', async () => {
    const tries = await Promise.allSettled(
      Array.from({ length: 50 }, () => acquireRunLock(temp.app, thisProcess(0))),
    );
    const won = tries.filter(each => each.status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const each of won) await each.value.release();
  });
});
