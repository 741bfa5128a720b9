// A pager over a real journal in a folder of its own.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../harness/base/clock.js';
import { redactor } from '../../harness/base/redact.js';
import type { PageSettings } from '../../harness/config/page-settings.js';
import { openJournal } from '../../harness/journal/journal.js';
import { LiveJournal } from '../../harness/journal/live-journal.js';
import type { JournalEvent } from '../../harness/journal/records.js';
import type { OutboxEntry } from '../../harness/pager/outbox.js';
import {
  createPager,
  type PageJournal,
  type Pager,
  type PagerLimits,
  type PagerOptions,
} from '../../harness/pager/pager.js';
import { executing, session } from '../support/records.js';
import { THREE_FEATURES } from '../support/temp-app.js';

/** Short enough for tests that wait for them, with the order of the real ones. */
export const QUICK = { totalMs: 1_500, tryMs: 400, pausesMs: [10, 20, 40], mostTries: 5 };

export interface PagerRig {
  folder: string;
  journal: LiveJournal;
  /** A pager as a start of the process makes it. */
  pager(settings: Partial<PageSettings>, options?: RigOptions): Pager;
  /** Records of pages, without their stamps. */
  pages(): { type: string; channel?: string; error?: string }[];
  outbox(): OutboxEntry[];
  append(...events: JournalEvent[]): void;
}

export type RigOptions = Partial<Omit<PagerOptions, 'limits'>> & { limits?: PagerLimits | 'real' };

/** Parked as stuck on F-003 after real tries, over a clock if one is given. */
export function pagerRig(clock: Clock = systemClock): PagerRig {
  const folder = mkdtempSync(join(tmpdir(), 'pager-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const journal = new LiveJournal(openJournal(join(folder, 'journal.jsonl'), clock));
  onTestFinished(() => journal.close());
  const append = (...events: JournalEvent[]) => {
    for (const event of events) journal.append(event);
  };
  append(...STUCK);
  return {
    folder,
    journal,
    append,
    pager: (settings, { limits, ...options } = {}) =>
      createPager({
        settings: { webhook: null, command: null, ...settings },
        journal: journal as unknown as PageJournal,
        app: { name: 'board', state: folder, readList: async () => THREE_FEATURES },
        next: () => 'longhaul resume /apps/board',
        redact: redactor(['canary-key-1234', ...(settings.webhook ? [settings.webhook] : [])]),
        clock,
        host: { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'canary-key-1234', HOOK_CREDENTIAL: 'mine' },
        cwd: folder,
        ...(limits === 'real' ? {} : { limits: limits ?? QUICK }),
        ...options,
      }),
    pages: () =>
      journal.records.flatMap(record => {
        const { v: _v, seq: _s, gen: _g, at: _at, ...page } = record;
        return page.type.startsWith('page.') ? [page as { type: string }] : [];
      }),
    outbox: () => {
      try {
        return readdirSync(join(folder, 'outbox')).map(name =>
          JSON.parse(readFileSync(join(folder, 'outbox', name), 'utf8')),
        );
      } catch {
        return [];
      }
    },
  };
}

export const REST: { reason: 'stuck'; detail: string } = {
  reason: 'stuck',
  detail: '7 sessions in a row won nothing',
};

const STUCK: JournalEvent[] = [
  ...executing(3),
  {
    type: 'process.begin',
    pid: 1,
    model: 'claude-x',
    budgetUsd: 20,
    settings: {},
    walls: 'none',
    simulated: false,
  },
  ...session(2, 'F-003', 'turn_limit').slice(0, 1),
  { type: 'spend.reserve', call: 'c1', session: 2, usd: 1.25, model: 'claude-x' },
  {
    type: 'verify.result',
    session: 2,
    feature: 'F-003',
    tree: 't',
    specSha256: 's',
    verdict: 'red',
    summary: 'Red in step "See F-003": expected "3", received "2"',
    evidenceSha256: null,
    flip: null,
  },
  ...session(2, 'F-003', 'turn_limit').slice(1),
  { type: 'run.parked', reason: 'stuck', detail: REST.detail, exitCode: 3 },
];
