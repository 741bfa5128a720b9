// The agent's browser as a process: when it starts, what it dies with, and that nothing makes it hang.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { startBrowserServer } from '../../harness/browser/agent-browser-server.js';
import type { Room, RoomProcess } from '../../harness/workspace/room.js';
import { until } from '../support/test-room.js';
import { type BrowserRig, openRig, testBrowser } from './agent-browser-rig.js';

/** Short, since some of these pages never answer. */
const LIMITS = { actionMs: 1_500, navigationMs: 2_000, probeMs: 1_000 };

async function rigForTest(options: Parameters<typeof openRig>[0] = {}): Promise<BrowserRig> {
  const rig = await openRig(options);
  onTestFinished(() => rig.close());
  return rig;
}

describe('its life', () => {
  test('begins with the first call that needs it, in the room, and leaves nothing', async () => {
    const rig = await rigForTest();
    expect(await rig.bad({ action: 'open', url: 'file:///etc/passwd' })).toContain('only http');
    expect(rig.room.processes()).toEqual([]);
    await rig.ok({ action: 'open', url: '/second.html' });
    expect(rig.room.processes().length).toBeGreaterThan(1);
    await rig.browser.close();
    expect(rig.room.processes()).toEqual([]);
    expect(await rig.bad({ action: 'read' })).toContain('the session is being stopped');
    expect(rig.room.processes()).toEqual([]);
  });

  test('ends with the room', async () => {
    const rig = await rigForTest();
    await rig.ok({ action: 'open', url: '/second.html' });
    await rig.room.close();
    expect(rig.room.processes()).toEqual([]);
  });

  test('ends with the harness, however that ends: its standard input closes', async () => {
    const rig = await rigForTest();
    const { room, started } = recorded(rig.room);
    const signal = new AbortController().signal;
    const result = await startBrowserServer({
      room,
      browser: testBrowser(),
      clock: systemClock,
      startMs: 20_000,
      signal,
    });
    if (!result.ok) throw new Error(result.problem);
    expect(result.server.isUp).toBe(true);
    for (const { child } of started) child.stdin?.destroy();
    await until(() => rig.room.processes().length === 0);
    await result.server.ended;
    expect(result.server.isUp).toBe(false);
    await result.server.close();
  });

  test('is not the end of the session when it is killed: the next call has a new one and says so', async () => {
    const rig = await rigForTest();
    await rig.ok({ action: 'open', url: '/second.html' });
    const waiting = rig.call({ action: 'wait', text: 'not to be seen' });
    await systemClock.sleep(300);
    for (const pid of rig.room.processes()) process.kill(pid, 'SIGKILL');
    expect((await waiting).text).toContain(
      'The browser ended during this call. The next call starts a new one',
    );
    const text = await rig.ok({ action: 'open', url: '/second.html' });
    expect(text).toMatch(/^\[The browser had ended since the last call; this is a new one/);
    expect(await rig.ok({ action: 'read' })).not.toContain('had ended');
  });

  test('is its own: two run side by side, each with a new profile in its room', async () => {
    const rigs = await Promise.all([rigForTest(), rigForTest()]);
    await Promise.all(rigs.map(rig => rig.ok({ action: 'open', url: '/second.html' })));
    for (const { room } of rigs) {
      const profiles = readdirSync(join(room.folder, 'tmp')).filter(name => name.includes('profile'));
      expect(profiles).toHaveLength(1);
    }
  });

  test('that cannot begin is told, and leaves nothing', async () => {
    const rig = await rigForTest({ browser: { executablePath: '/bin/false', kind: 'wanted' } });
    expect(await rig.bad({ action: 'open', url: '/' })).toContain('The browser could not be started.');
    expect(rig.room.processes()).toEqual([]);
  });
});

describe('a page that never ends', () => {
  let rig: BrowserRig;
  beforeAll(async () => {
    rig = await openRig({ limits: LIMITS });
  });
  afterAll(() => rig.close());

  test.each([
    ['while it loads', '/endless-load.html', 'Given up after 2 s: the page does not react any more'],
    [
      'asking again and again',
      '/endless-alerts.html',
      'Given up after 2 s: the page does not react any more',
    ],
  ])('%s is closed', async (_, url, text) => {
    expect(await rig.bad({ action: 'open', url })).toContain(text);
    expect(await rig.bad({ action: 'read' })).toContain('No page is open');
    expect(await rig.ok({ action: 'open', url: '/second.html' })).toContain('The second page');
  });

  test('after a click is closed', async () => {
    await rig.ok({ action: 'open', url: '/endless.html' });
    const text = await rig.bad({ action: 'click', name: 'Never ends' });
    expect(text).toMatch(/Given up after 1\.5 s: the page does not react any more.*It was closed/);
    expect(await rig.ok({ action: 'open', url: '/second.html' })).toContain('The second page');
  });

  test('because its server does not answer leaves the old one usable', async () => {
    await rig.ok({ action: 'open', url: '/second.html' });
    expect(await rig.bad({ action: 'open', url: '/never' })).toMatch(
      /The server did not answer .*\/never within 2 s; the page of before is still there\.\nPage: "Second"/,
    );
    expect(await rig.ok({ action: 'click', role: 'link', name: 'Home' })).toContain('Page: "Home"');
  });

  test('because a link leads to one that does not come is told, and can be left', async () => {
    await rig.ok({ action: 'open', url: '/second.html' });
    const text = await rig.bad({ action: 'click', role: 'link', name: 'Never' });
    expect(text).toMatch(/The server did not answer .*\/never within 1\.5 s/);
    expect(await rig.ok({ action: 'click', role: 'link', name: 'Home' })).toContain('Page: "Home"');
  });

  test('does not outlast an interruption', async () => {
    await rig.ok({ action: 'open', url: '/second.html' });
    const stop = new AbortController();
    const waiting = rig.call({ action: 'wait', text: 'not to be seen' }, stop.signal);
    await systemClock.sleep(100);
    stop.abort();
    expect(await waiting).toMatchObject({ isError: true, text: expect.stringContaining('Interrupted') });
  });
});

/** The same room, with a list of what was started in it. */
function recorded(room: Room): { room: Room; started: RoomProcess[] } {
  const started: RoomProcess[] = [];
  const recording: Room = {
    walls: room.walls,
    marker: room.marker,
    folder: room.folder,
    scratch: room.scratch,
    start: (...parts) => {
      const process = room.start(...parts);
      started.push(process);
      return process;
    },
    exec: (...parts) => room.exec(...parts),
    ports: () => room.ports(),
    processes: () => room.processes(),
    close: () => room.close(),
  };
  return { room: recording, started };
}
