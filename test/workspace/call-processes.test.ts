import { expect, test } from 'vitest';
import { processesOfCall } from '../../harness/workspace/call-processes.js';
import type { ProcessInfo } from '../../harness/workspace/process-table.js';
import { nameOf } from '../../harness/workspace/processes.js';

const SHELL = 100;

function info(pid: number, values: Partial<ProcessInfo>): ProcessInfo {
  return { pid, ppid: SHELL, pgid: SHELL, started: `${pid}`, marker: 'run.1.1', command: '', ...values };
}

const shell = info(SHELL, { ppid: 50 });
/** A server that call 1 left in the background, and a loop of bash itself. */
const server = info(101, { marker: 'run.1.1.c1' });
const loop = info(102, {});
const before = new Set([shell, server, loop].map(nameOf));

function ofCall(...now: ProcessInfo[]): number[] {
  const traces = { roomMarker: 'run.1.1', callMarker: 'run.1.1.c2', shellPid: SHELL, before };
  return processesOfCall([shell, server, loop, ...now], traces).map(({ pid }) => pid);
}

test.each([
  ['a program', info(200, { marker: 'run.1.1.c2' }), true],
  [
    'a program that left for a session of its own',
    info(200, { ppid: 1, pgid: 200, marker: 'run.1.1.c2' }),
    true,
  ],
  ['a part of bash itself', info(200, {}), true],
  ['an orphaned part of bash itself', info(200, { ppid: 1 }), true],
  ['a child without environment', info(200, { marker: null }), true],
  ['an orphan without environment in the group', info(200, { ppid: 1, marker: null }), true],
  ['a new child of the old server', info(200, { ppid: 101, marker: 'run.1.1.c1' }), false],
  ['a new orphan of the old server', info(200, { ppid: 1, pgid: 200, marker: 'run.1.1.c1' }), false],
  ['a new child of the old loop', info(200, { ppid: 102 }), false],
  ['a child of the app beside the shell', info(200, { ppid: 60, pgid: 60 }), false],
  ['a process of another room', info(200, { ppid: 1, pgid: 200, marker: 'run.1.2' }), false],
])('%s that appears during the call', (_, process, belongs) => {
  expect(ofCall(process)).toEqual(belongs ? [200] : []);
});

test('the descendants of a part of bash belong to the call, whatever they carry', () => {
  const subshell = info(200, { pgid: 200 });
  const child = info(201, { ppid: 200, pgid: 200, marker: null });
  expect(ofCall(subshell, child)).toEqual([200, 201]);
});

test('an orphan that a process manager of the user took in is told by its group', () => {
  const manager = info(70, { ppid: 1, pgid: 70, marker: null });
  expect(ofCall(manager, info(200, { ppid: 70 }))).toEqual([200]);
  expect(ofCall(manager, info(200, { ppid: 70, pgid: 200, marker: null }))).toEqual([]);
});

test('a pid that is used again is another process', () => {
  expect(ofCall(info(102, { started: 'later' }))).toContain(102);
});
