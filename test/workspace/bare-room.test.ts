import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LonghaulError } from '../../harness/base/errors.js';
import { processTable } from '../../harness/workspace/process-table.js';
import { findByMarker } from '../../harness/workspace/processes.js';
import type { Room } from '../../harness/workspace/room.js';
import { testRoom, until } from '../support/test-room.js';

function bash(room: Room, app: string, script: string, timeoutMs = 20_000) {
  return room.exec({ argv: ['bash', '-c', script], cwd: app }, { timeoutMs });
}

describe('exec', () => {
  test('gives code and output, both streams in the order in which they were written', async () => {
    const { room, app } = testRoom();
    const script = 'for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 3';
    expect(await bash(room, app, script)).toMatchObject({
      code: 3,
      timedOut: false,
      output: 'out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n',
    });
  });

  test('standard input is closed', async () => {
    const { room, app } = testRoom();
    expect(await bash(room, app, 'read -r line; echo "code $?"')).toMatchObject({ output: 'code 1\n' });
  });

  test('a missing program is a result, a missing folder is an error', async () => {
    const { room, app } = testRoom();
    const missing = await room.exec({ argv: ['no-such-program'], cwd: app }, { timeoutMs: 20_000 });
    expect(missing.code).toBe(127);
    expect(missing.output).toContain('no-such-program');
    await expect(bash(room, join(app, 'gone'), 'true')).rejects.toThrow(LonghaulError);
  });

  test('a signal that ends the command leaves no code', async () => {
    const { room, app } = testRoom();
    expect(await bash(room, app, 'kill -9 $$')).toMatchObject({ code: null, timedOut: false });
  });

  test('a child that stays and holds the pipe does not delay it, and is ended with its group', async () => {
    const { room, app } = testRoom();
    expect(await bash(room, app, 'sleep 701 & echo started')).toMatchObject({ code: 0, output: 'started\n' });
    expect(room.processes()).toEqual([]);
  });

  test('a child that left the group and holds the pipe does not delay it, and lives until the room closes', async () => {
    const { room, app } = testRoom();
    expect(
      await bash(
        room,
        app,
        'setsid sh -c "touch up; exec sleep 706" & until [ -e up ]; do sleep 0.02; done; echo started',
      ),
    ).toMatchObject({ output: 'started\n' });
    expect(room.processes()).toHaveLength(1);
  });

  test('at its deadline the whole family goes, whatever it ignores and wherever it went', async () => {
    const { room, app } = testRoom();
    const script =
      "trap '' TERM INT HUP; setsid sleep 711 & (sleep 712 &); echo begun; while :; do sleep 0.1; done";
    expect(await bash(room, app, script, 500)).toMatchObject({
      code: null,
      timedOut: true,
      output: 'begun\n',
    });
    expect(processTable().filter(({ command }) => /^sleep 71[12]/.test(command))).toEqual([]);
  });

  test('a signal of the caller ends it like a deadline, but is none', async () => {
    const { room, app } = testRoom();
    const stop = new AbortController();
    const running = room.exec(
      { argv: ['sleep', '721'], cwd: app },
      { timeoutMs: 20_000, signal: stop.signal },
    );
    await until(() => room.processes().length > 0);
    stop.abort();
    expect(await running).toMatchObject({ code: null, timedOut: false });
    expect(room.processes()).toEqual([]);
  });

  test('output is cut in the middle to the bytes that are asked for', async () => {
    const { room, app } = testRoom();
    const { output } = await room.exec(
      { argv: ['bash', '-c', 'head -c 1000000 /dev/zero | tr "\\0" z; echo END'], cwd: app },
      { timeoutMs: 20_000, maxOutputBytes: 1_000 },
    );
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(1_000);
    expect(output).toMatch(/^z+\n\[… [\d,]+ bytes left out here …\]\nz+END\n$/);
  });
});

describe('the environment', () => {
  test('has no variable of this process, a HOME and TMPDIR of its own, and a marker that nothing renames', async () => {
    const { room, app, marker } = testRoom({ host: { ANTHROPIC_API_KEY: 'sk-secret', LANG: 'C' } });
    const { output } = await room.exec(
      { argv: ['env'], cwd: app, env: { PORT: '1', LONGHAUL_ROOM: 'other' } },
      { timeoutMs: 20_000 },
    );
    expect(output).not.toContain('secret');
    expect(output).toContain(`HOME=${room.folder}/home\n`);
    expect(output).toContain(`TMPDIR=${room.folder}/tmp\n`);
    expect(output).toContain('PORT=1\n');
    expect(output).toContain(`LONGHAUL_ROOM=${marker}\n`);
    expect(output).not.toContain('LONGHAUL_ROOM=other');
  });
});

describe('start', () => {
  test('kill ends the group and gives it the grace that is asked for', async () => {
    const { room, app } = testRoom();
    const file = join(app, 'ended');
    const script = `(trap 'sleep 0.3; echo child > ${file}; exit' TERM; while :; do sleep 0.05; done) & echo; exec sleep 731`;
    const started = room.start({ argv: ['bash', '-c', script], cwd: app });
    await until(() => room.processes().length >= 2);
    await started.kill(10_000);
    expect(readFileSync(file, 'utf8')).toBe('child\n');
    expect(room.processes()).toEqual([]);
    expect(await started.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });

  test('kill without grace ends what ignores every signal', async () => {
    const { room, app } = testRoom();
    const started = room.start({
      argv: ['bash', '-c', "trap '' TERM; sleep 741 & while :; do sleep 0.1; done"],
      cwd: app,
    });
    await until(() => room.processes().length >= 2);
    await started.kill();
    expect(room.processes()).toEqual([]);
    await started.kill();
  });

  test('a program that is not there is an error that names it', () => {
    const { room, app } = testRoom();
    expect(() => room.start({ argv: ['no-such-program'], cwd: app })).toThrow(
      /no-such-program cannot be started/,
    );
  });

  test('a leader that threw its environment away still belongs to the room', async () => {
    const { room, app } = testRoom();
    const { pid } = room.start({ argv: ['env', '-i', 'sleep', '751'], cwd: app });
    await until(() => processTable().some(info => info.pid === pid && info.command === 'sleep 751'));
    expect(room.processes()).toEqual([pid]);
  });
});

describe('close', () => {
  test('ends everything of the room, also what left its group, and removes the folder', async () => {
    const { room, app, marker } = testRoom();
    await bash(
      room,
      app,
      'setsid sleep 761 >/dev/null 2>&1 & (setsid sleep 762 >/dev/null 2>&1 &); sleep 0.2',
    );
    room.start({ argv: ['sleep', '763'], cwd: app });
    await until(() => room.processes().length === 3);
    mkdirSync(join(room.scratch, 'locked'));
    writeFileSync(join(room.scratch, 'locked', 'file'), '');
    await bash(room, app, `chmod 500 "${room.scratch}/locked"`);
    await room.close();
    expect(findByMarker(marker)).toEqual([]);
    expect(existsSync(room.folder)).toBe(false);
    await room.close();
    expect(() => room.start({ argv: ['true'], cwd: app })).toThrow(/closed/);
  });

  test('leaves a room beside it alone', async () => {
    const one = testRoom();
    const two = testRoom();
    two.room.start({ argv: ['sleep', '771'], cwd: two.app });
    one.room.start({ argv: ['sleep', '772'], cwd: one.app });
    await one.room.close();
    expect(two.room.processes()).toHaveLength(1);
  });
});

test('two rooms of one process get ports that do not overlap', async () => {
  const one = await testRoom().room.ports();
  const two = await testRoom().room.ports();
  expect(Math.abs(one.base - two.base)).toBeGreaterThanOrEqual(10);
});
