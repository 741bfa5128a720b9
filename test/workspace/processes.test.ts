import { spawn } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { newId } from '../../harness/base/ids.js';
import { type ProcessInfo, processTable } from '../../harness/workspace/process-table.js';
import {
  endByMarker,
  findByMarker,
  killAll,
  markerWithin,
  signalProcess,
  withRelatives,
} from '../../harness/workspace/processes.js';
import { until } from '../support/test-room.js';

/** Runs a script with a marker, in a group of its own as rooms do, and lets go of it. */
function launch(marker: string, script: string): void {
  onTestFinished(async () => void (await endByMarker(marker)));
  spawn('bash', ['-c', script], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, LONGHAUL_ROOM: marker },
  }).unref();
}

function info(values: Partial<ProcessInfo> & { pid: number }): ProcessInfo {
  return { ppid: 1, pgid: values.pid, started: '1', marker: null, command: '', ...values };
}

describe('markers', () => {
  test.each([
    ['run.1.2', 'run.1.2', true],
    ['run.1.2', 'run.', true],
    ['run.1.2', 'run', true],
    ['run.1.2.c3', 'run.1.2', true],
    ['run.1.20', 'run.1.2', false],
    ['runner.1.2', 'run', false],
    [null, 'run', false],
  ])('%s within %s: %s', (marker, prefix, within) => {
    expect(markerWithin(marker, prefix)).toBe(within);
  });
});

describe('findByMarker and endByMarker', () => {
  test('processes are found that left their group, their parent and their session', async () => {
    const run = newId();
    launch(`${run}.1.1`, 'setsid sleep 601 & (setsid sleep 602 &) ; (sleep 603 &) ; sleep 604');
    const names = () =>
      findByMarker(`${run}.`)
        .map(({ command }) => command)
        .filter(command => command.startsWith('sleep'))
        .sort();
    await until(() => names().length === 4);
    expect(names()).toEqual(['sleep 601', 'sleep 602', 'sleep 603', 'sleep 604']);
    expect(await endByMarker(`${run}.`)).toBeGreaterThanOrEqual(4);
    expect(findByMarker(`${run}.`)).toEqual([]);
  });

  test('a child with an empty environment is found by its parent or its group', async () => {
    const run = newId();
    launch(`${run}.1.1`, '(env -i sleep 611 &) ; env -i setsid sleep 612 & sleep 613');
    await until(
      () => findByMarker(`${run}.`).filter(({ command }) => command.startsWith('sleep 61')).length === 3,
    );
    await endByMarker(`${run}.`);
    expect(processTable().filter(({ command }) => /sleep 61[123]$/.test(command))).toEqual([]);
  });

  test('rooms of other runs and of other numbers are left alone', async () => {
    const run = newId();
    launch(`${run}.1.2`, 'sleep 621');
    launch(`${run}.1.20`, 'sleep 622');
    await until(() => findByMarker(run).length === 2);
    await endByMarker(`${run}.1.2`);
    expect(findByMarker(run).map(({ marker }) => marker)).toEqual([`${run}.1.20`]);
    await endByMarker(run);
  });

  test('what forks while it is killed is killed too', async () => {
    const run = newId();
    launch(
      `${run}.1.1`,
      'n() { for i in 1 2 3; do (setsid sleep 631 &); sleep 0.01; done; }; while :; do n; done',
    );
    await until(() => findByMarker(run).length > 5);
    await endByMarker(run);
    await systemClock.sleep(300);
    expect(findByMarker(run)).toEqual([]);
  });

  test('signals that a process ignores do not save it, nor does being stopped', async () => {
    const run = newId();
    launch(
      `${run}.1.1`,
      "trap '' TERM INT HUP; sleep 641 & sleep 0.2; kill -STOP $!; while :; do sleep 0.1; done",
    );
    await until(() => findByMarker(run).some(({ command }) => command === 'sleep 641'));
    await endByMarker(run);
    expect(findByMarker(run)).toEqual([]);
  });

  test('a zombie does not count', async () => {
    const run = newId();
    // The parent never waits for its child.
    launch(`${run}.1.1`, 'sleep 0.1 & exec sleep 651');
    await until(() => findByMarker(run).length === 2);
    await until(() => findByMarker(run).length === 1);
    await endByMarker(run);
  });
});

describe('killing', () => {
  test('a process that got the pid of an earlier one is not signalled', async () => {
    const run = newId();
    launch(`${run}.1.1`, 'exec sleep 661');
    await until(() => findByMarker(run).length === 1);
    const found = findByMarker(run)[0] as ProcessInfo;
    expect(signalProcess({ ...found, started: 'earlier' }, 'SIGKILL')).toBe(false);
    expect(findByMarker(run)).toHaveLength(1);
    expect(signalProcess(found, 'SIGKILL')).toBe(true);
    await until(() => findByMarker(run).length === 0);
  });

  test('what cannot be killed is named', async () => {
    const undying = info({ pid: 2 ** 30 });
    const result = await killAll(() => [undying], { rounds: 2 });
    expect(result).toEqual({ killed: [], left: [undying] });
  });
});

describe('withRelatives', () => {
  const harness = info({ pid: process.pid, pgid: 7 });

  test('takes descendants and groups, and never the harness nor its group', () => {
    const leader = info({ pid: 100, ppid: process.pid });
    const child = info({ pid: 101, ppid: 100, pgid: 101 });
    const grandchild = info({ pid: 102, ppid: 101, pgid: 102 });
    const orphan = info({ pid: 103, pgid: 100 });
    const sibling = info({ pid: 104, ppid: process.pid, pgid: 7 });
    const started = info({ pid: 105, ppid: process.pid, pgid: 7, marker: 'run' });
    const table = [harness, leader, child, grandchild, orphan, sibling, started];
    expect(withRelatives([leader, started], table)).toEqual(
      expect.arrayContaining([leader, child, grandchild, orphan, started]),
    );
    expect(withRelatives([leader, started], table)).not.toContain(harness);
    expect(withRelatives([leader, started], table)).not.toContain(sibling);
  });
});
