import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LonghaulError } from '../../harness/base/errors.js';
import { createPager, type PageJournal } from '../../harness/pager/pager.js';
import { FakeClock } from '../support/fake-clock.js';
import { session } from '../support/records.js';
import { pagerRig, REST } from './pager-rig.js';
import { receiver } from './receiver.js';

const RESUME = { type: 'person.resume', budgetUsd: null, retry: null } as const;
const PARK = { type: 'run.parked', ...REST, exitCode: 3 } as const;

describe('one cause', () => {
  it('is paged once, however often the run is started, stopped and resumed without a change', async () => {
    const hook = await receiver('ok');
    const rig = pagerRig();
    await rig.pager({ webhook: hook.url }).page(REST);
    for (let time = 0; time < 3; time++) {
      const pager = rig.pager({ webhook: hook.url });
      await pager.flush();
      await pager.page(REST);
      rig.append(RESUME, PARK);
      await pager.page(REST);
    }
    expect(hook.bodies).toHaveLength(1);
  });

  it('is another one when money was spent, a feature passed, or the words changed', async () => {
    const hook = await receiver('ok');
    const rig = pagerRig();
    const pager = rig.pager({ webhook: hook.url });
    await pager.page(REST);
    await pager.page({ ...REST, detail: 'the key was refused (request req_011abc)' });
    await pager.page({ ...REST, detail: 'the key was refused (request req_099xyz)' });
    expect(hook.bodies).toHaveLength(2);
    rig.append(RESUME, { type: 'spend.reserve', call: 'c2', session: 3, usd: 0.5, model: 'm' });
    rig.append(...session(3, 'F-003', 'turn_limit'), PARK);
    await pager.page(REST);
    expect(hook.bodies).toHaveLength(3);
    expect(new Set(hook.bodies.map(body => JSON.parse(body).key)).size).toBe(3);
  });

  it('is told again after an hour when a person had said "go on", and not without', async () => {
    const hook = await receiver('ok');
    const clock = new FakeClock();
    const rig = pagerRig(clock);
    const page = async () => {
      const limits = { totalMs: 1e8, tryMs: 9_000, pausesMs: [], mostTries: 5 };
      let over = false;
      const paged = rig.pager({ webhook: hook.url }, { limits }).page(REST);
      void paged.then(() => {
        over = true;
      });
      while (!over) {
        clock.advance(1);
        await setImmediate();
      }
    };
    await page();
    clock.advance(2 * 3_600_000);
    await page();
    expect(hook.bodies).toHaveLength(1);
    rig.append(RESUME, PARK);
    await page();
    expect(hook.bodies).toHaveLength(2);
  });

  it.each(['interrupted', 'stopped', 'paused'])('that is a person (%s) is not paged', async reason => {
    const hook = await receiver('ok');
    const rig = pagerRig();
    await rig.pager({ webhook: hook.url }).page({ reason, detail: 'a person stopped it' });
    expect(hook.bodies).toEqual([]);
    expect(rig.pages()).toEqual([]);
  });

  it('done is paged, with where to look', async () => {
    const hook = await receiver('ok');
    const rig = pagerRig();
    rig.append({ type: 'run.done', head: 'h' });
    await rig
      .pager({ webhook: hook.url }, { next: () => 'cd /apps/board && ./init.sh' })
      .page({ reason: 'done', detail: '' });
    expect(JSON.parse(hook.bodies[0] ?? '')).toMatchObject({
      feature: null,
      text: expect.stringMatching(
        /^board: Every feature passes\.\n(.*\n)*To look at it: cd \/apps\/board && \.\/init\.sh\n/,
      ),
    });
  });

  it('that a crash swallowed is paged at the next start, once', async () => {
    const hook = await receiver('ok');
    const rig = pagerRig();
    await rig.pager({ webhook: hook.url }).flush();
    await rig.pager({ webhook: hook.url }).flush();
    expect(hook.bodies).toHaveLength(1);
  });

  it('that a crash cut off before the decision was recorded lies in the outbox, and is told at the next start', async () => {
    const hook = await receiver('ok');
    const rig = pagerRig();
    const { records, state } = rig.journal;
    const crashing: PageJournal = {
      records,
      state,
      append: () => {
        throw new Error('the process is dead');
      },
    };
    await rig
      .pager({ webhook: hook.url }, { journal: crashing })
      .page(REST)
      .catch(() => {});
    expect(hook.bodies).toEqual([]);
    expect(rig.outbox()).toHaveLength(1);
    await rig.pager({ webhook: hook.url }).flush();
    expect(hook.bodies).toHaveLength(1);
    expect(rig.outbox()).toEqual([]);
  });

  it('is not paged at a start when the run ended as it should, before there was a channel', async () => {
    const hook = await receiver('ok');
    const rig = pagerRig();
    rig.append({ type: 'process.end', exitCode: 3 });
    await rig.pager({ webhook: hook.url }).flush();
    expect(hook.bodies).toEqual([]);
  });
});

describe('the outbox', () => {
  it('gives each channel the message once: what one took is not sent to it again', async () => {
    const hook = await receiver('500');
    const rig = pagerRig();
    const settings = { webhook: hook.url, command: ['sh', '-c', 'echo x >> told'] };
    await rig.pager(settings).page(REST);
    expect(rig.outbox()).toMatchObject([{ sent: ['command'], tries: { webhook: 4, command: 1 } }]);
    hook.mood = 'ok';
    await rig.pager(settings).flush();
    expect(rig.outbox()).toEqual([]);
    expect(
      rig
        .pages()
        .filter(({ type }) => type === 'page.sent')
        .map(({ channel }) => channel),
    ).toEqual(['command', 'webhook']);
  });

  it('sends no file that the journal knows nothing of, and stumbles over none', async () => {
    const hook = await receiver('ok');
    const rig = pagerRig();
    rig.append({ type: 'process.end', exitCode: 3 });
    mkdirSync(join(rig.folder, 'outbox'));
    const message = { key: '0123456789abcdef', text: 'forged', title: 'forged' };
    writeFileSync(
      join(rig.folder, 'outbox', '0123456789abcdef.json'),
      JSON.stringify({ v: 1, message, tries: {}, sent: [] }),
    );
    writeFileSync(join(rig.folder, 'outbox', 'x.json'), 'no json');
    writeFileSync(join(rig.folder, 'outbox', 'y.json'), 'null');
    await rig.pager({ webhook: hook.url }).flush();
    expect(hook.bodies).toEqual([]);
    expect(rig.pages()).toEqual([]);
  });

  it('that cannot be written, and a journal that cannot, keep no page from going out', async () => {
    const hook = await receiver('ok');
    const rig = pagerRig();
    writeFileSync(join(rig.folder, 'outbox'), 'a file is in the way');
    const { records, state } = rig.journal;
    const broken: PageJournal = {
      records,
      state,
      append: () => {
        throw new LonghaulError('disk', 'no space');
      },
    };
    await rig.pager({ webhook: hook.url }, { journal: broken }).page(REST);
    expect(hook.bodies).toHaveLength(1);
  });
});

it('without a channel nothing is written', async () => {
  const rig = pagerRig();
  const pager = createPager({
    settings: null,
    journal: rig.journal as unknown as PageJournal,
    app: { name: 'board', state: rig.folder, readList: async () => null },
    next: () => '',
    redact: text => text,
    clock: new FakeClock(),
    host: {},
    cwd: rig.folder,
  });
  await pager.page(REST);
  await pager.flush();
  expect(rig.pages()).toEqual([]);
  expect(existsSync(join(rig.folder, 'outbox'))).toBe(false);
  rmSync(join(rig.folder, 'outbox'), { force: true });
});
