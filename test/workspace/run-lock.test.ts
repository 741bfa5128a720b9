import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';
import { acquireRunLock, askHolder, isHeld } from '../../harness/workspace/run-lock.js';
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
    const lock = await acquireRunLock(temp.app, { startedAt: 0, system });
    expect(await isHeld(temp.app, system)).toBe(true);
    await expect(acquireRunLock(temp.app, { startedAt: 0, system })).rejects.toMatchObject({
      code: 'held',
      exitCode: 2,
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await lock.release();
    expect(await isHeld(temp.app, system)).toBe(false);
    await (await acquireRunLock(temp.app, { startedAt: 0, system })).release();
  });
});

describe('a request to the holder', () => {
  it('is handed on when it carries the token of run.json, and only then', async () => {
    const asked: string[] = [];
    const lock = await acquireRunLock(temp.app, { startedAt: 0, onControl: request => asked.push(request) });
    expect(await askHolder(temp.app, 'pause')).toBe(true);
    const path = join(temp.app.state, 'run.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"token":"[0-9a-f]+"/, '"token":"guessed"'));
    expect(await askHolder(temp.app, 'stop_now')).toBe(false);
    expect(asked).toEqual(['pause']);
    await lock.release();
    expect(await askHolder(temp.app, 'stop')).toBe(false);
  });
});

describe("the kernel's lock", () => {
  it('is free the moment its holder is killed', async () => {
    const script = `import { openApp } from ${JSON.stringify(pathToFileURL(join(packageRoot, 'dist/workspace/app.js')).href)};
import { acquireRunLock } from ${JSON.stringify(pathToFileURL(join(packageRoot, 'dist/workspace/run-lock.js')).href)};
await acquireRunLock(await openApp(${JSON.stringify(temp.app.root)}, process.env), { startedAt: Date.now() });
console.log('held'); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    expect(await isHeld(temp.app)).toBe(true);
    await expect(acquireRunLock(temp.app, { startedAt: 0 })).rejects.toThrow(`process ${holder.pid}`);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await (await acquireRunLock(temp.app, { startedAt: 0 })).release();
  });

  it('lets exactly one of many starts through', async () => {
    const tries = await Promise.allSettled(
      Array.from({ length: 50 }, () => acquireRunLock(temp.app, { startedAt: 0 })),
    );
    const won = tries.filter(each => each.status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const each of won) await each.value.release();
  });
});
