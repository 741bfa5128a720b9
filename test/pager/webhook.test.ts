import { expect, it } from 'vitest';
import { pagerRig, QUICK, REST } from './pager-rig.js';
import { type Mood, nobody, receiver } from './receiver.js';

const HELD_UP = QUICK.totalMs + 1_000;

it('a page is a POST of JSON that can be acted on', async () => {
  const hook = await receiver('ok');
  const rig = pagerRig();
  await rig.pager({ webhook: hook.url }).page(REST);
  expect(hook.bodies).toHaveLength(1);
  const body = hook.bodies[0] ?? '';
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(4_096);
  const message = JSON.parse(body);
  expect(message).toEqual({
    title: 'board: stuck, 0 of 3 features pass',
    text: expect.any(String),
    reason: 'stuck',
    feature: 'F-003',
    sessions: 2,
    spentUsd: 1.25,
    budgetUsd: 20,
    next: 'longhaul resume /apps/board',
    project: 'board',
    key: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  for (const part of [
    'board: It is stuck (7 sessions in a row won nothing).',
    'Feature F-003: What F-003 does',
    '1 attempt so far',
    'Last failing verification (red): Red in step "See F-003": expected "3", received "2"',
    '2 sessions used; $1.25 spent, $18.75 of $20.00 left',
    'To go on: longhaul resume /apps/board',
  ])
    expect(message.text).toContain(part);
  expect(rig.pages()).toEqual([
    { type: 'page.intent', key: message.key, title: message.title },
    { type: 'page.sent', key: message.key, channel: 'webhook' },
  ]);
  expect(rig.outbox()).toEqual([]);
});

it.each<[mood: Mood, tries: number, error: RegExp]>([
  ['500', 4, /^HTTP 500$/],
  ['404', 1, /^HTTP 404$/],
  ['reset', 4, /other side closed|ECONNRESET|socket hang up/],
  ['redirect', 1, /^HTTP 302: it redirects to 127\.0\.0\.1:\d+; name the final address$/],
  ['hang', 4, /no answer/],
  ['slow', 4, /no answer/],
])(
  'a receiver in the mood "%s" costs %i tries at most, holds nobody up, and gets the message at a later start',
  async (mood, tries, error) => {
    const hook = await receiver(mood);
    const rig = pagerRig();
    const began = performance.now();
    await rig.pager({ webhook: hook.url }).page(REST);
    expect(performance.now() - began).toBeLessThan(HELD_UP);
    expect(hook.bodies.length).toBeGreaterThanOrEqual(1);
    expect(hook.bodies.length).toBeLessThanOrEqual(tries);
    expect(rig.pages().map(({ type }) => type)).toEqual(['page.intent', 'page.failed']);
    expect(rig.pages().at(-1)?.error).toMatch(error);
    expect(JSON.stringify(rig.journal.records)).not.toContain('secret-path-token');
    expect(rig.outbox()).toMatchObject([
      { message: { feature: 'F-003' }, tries: { webhook: hook.bodies.length } },
    ]);

    hook.mood = 'ok';
    const before = hook.bodies.length;
    await rig.pager({ webhook: hook.url }).flush();
    expect(hook.bodies.length).toBe(before + 1);
    expect(hook.bodies.at(-1)).toBe(hook.bodies[0]);
    expect(rig.outbox()).toEqual([]);
    await rig.pager({ webhook: hook.url }).flush();
    expect(hook.bodies.length).toBe(before + 1);
  },
);

it('without anybody who listens, the message lies in the outbox and the failure in the journal', async () => {
  const rig = pagerRig();
  await rig.pager({ webhook: await nobody() }).page(REST);
  expect(rig.pages().at(-1)).toMatchObject({
    type: 'page.failed',
    error: expect.stringContaining('ECONNREFUSED'),
  });
  expect(rig.outbox()).toHaveLength(1);
});

it('an answer that never ends is an answer', async () => {
  const hook = await receiver('trickle');
  const rig = pagerRig();
  await rig.pager({ webhook: hook.url }).page(REST);
  expect(rig.pages().map(({ type }) => type)).toEqual(['page.intent', 'page.sent']);
});

it('a redirect to another host takes nothing there', async () => {
  const other = await receiver('ok');
  const hook = await receiver('redirect-away', other.url);
  const rig = pagerRig();
  await rig.pager({ webhook: hook.url }).page(REST);
  expect(other.bodies).toEqual([]);
  expect(rig.pages().at(-1)?.error).toMatch(/^HTTP 307: it redirects to 127\.0\.0\.1:\d+/);
});

it('one message is tried five times at most, over all starts', async () => {
  const hook = await receiver('500');
  const rig = pagerRig();
  await rig.pager({ webhook: hook.url }).page(REST);
  for (let start = 0; start < 4; start++) await rig.pager({ webhook: hook.url }).flush();
  expect(hook.bodies).toHaveLength(5);
  expect(rig.outbox()).toHaveLength(1);
});

it('with the real limits a receiver that hangs is given up within ten seconds', {
  timeout: 20_000,
}, async () => {
  const hook = await receiver('hang');
  const rig = pagerRig();
  const began = performance.now();
  await rig.pager({ webhook: hook.url, command: ['sleep', '60'] }, { limits: 'real' }).page(REST);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(hook.bodies.length).toBeLessThanOrEqual(5);
  expect(rig.pages().map(({ type, channel }) => `${type} ${channel}`)).toEqual([
    'page.intent undefined',
    'page.failed webhook',
    'page.failed command',
  ]);
});
