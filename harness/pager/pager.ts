// Pages a person when the run rests: once for each cause, never longer than ten seconds, and never at the cost of the run.

import type { Clock } from '../base/clock.js';
import { oneLine } from '../base/cut-text.js';
import { LonghaulError, messageOf, systemCode } from '../base/errors.js';
import type { PageSettings } from '../config/page-settings.js';
import type { FeatureList } from '../features/feature-list.js';
import type { RunState } from '../journal/run-state.js';
import { causeKey, isByPerson, isUntold, type Rest, restOf, wasPaged } from './cause.js';
import type { Channel } from './channel.js';
import { Outbox, type OutboxEntry } from './outbox.js';
import { pageCommand } from './page-command.js';
import { type PageMessage, pageMessage } from './page-message.js';
import { asPageRecord, type PageEvent, type RecordStamp } from './records.js';
import { webhook } from './webhook.js';

export interface Pager {
  /** The run came to rest. Does nothing when a person asked for it, or when this was told before. Never rejects. */
  page(rest: Rest): Promise<void>;
  /** At a start: what could not be delivered before gets one more try. Never rejects. */
  flush(): Promise<void>;
}

/** What a pager needs of the journal; a live journal is one. */
export interface PageJournal {
  readonly records: readonly RecordStamp[];
  readonly state: RunState;
  append(event: PageEvent): unknown;
}

export interface PagerOptions {
  /** Null: nobody is paged. */
  settings: PageSettings | null;
  journal: PageJournal;
  app: {
    /** For people. */
    name: string;
    /** The harness's own folder in the git directory. */
    state: string;
    /** The list as it must be, or null when there is none that can be read. */
    readList(): Promise<FeatureList | null>;
  };
  /** The command that goes on from a rest. */
  next(reason: string): string;
  redact(text: string): string;
  clock: Clock;
  /** Variables of the process's environment, for the command. */
  host: Readonly<Record<string, string | undefined>>;
  /** Where the command runs: not in the app. */
  cwd: string;
  fetch?: typeof fetch;
  limits?: PagerLimits;
}

export interface PagerLimits {
  /** Of all that one call of `page` or `flush` does. */
  totalMs: number;
  /** Of one request. */
  tryMs: number;
  /** Between the tries of one call; there is one try more. */
  pausesMs: readonly number[];
  /** Of one message by one channel, over all starts. */
  mostTries: number;
}

/** A command that must be killed gets half a second more: ten seconds in all. */
const LIMITS: PagerLimits = { totalMs: 9_400, tryMs: 4_000, pausesMs: [1_000, 2_000, 4_000], mostTries: 5 };

/** Of an error in the journal. */
const ERROR_BYTES = 300;

export function createPager(options: PagerOptions): Pager {
  const limits = options.limits ?? LIMITS;
  const channels = openChannels(options, limits);
  if (channels.length === 0) return { page: async () => {}, flush: async () => {} };
  return new OutboxPager(options, limits, channels);
}

function openChannels({ settings, host, cwd, clock, fetch }: PagerOptions, limits: PagerLimits): Channel[] {
  const channels: Channel[] = [];
  if (settings?.webhook)
    channels.push(webhook({ url: settings.webhook, tryMs: limits.tryMs, ...(fetch ? { fetch } : {}) }));
  if (settings?.command) channels.push(pageCommand({ command: settings.command, host, cwd, clock }));
  return channels;
}

/** True when `flush` would have something to do. @param state the harness's own folder in the git directory. */
export function hasUnsentPages(state: string, records: readonly RecordStamp[]): boolean {
  return new Outbox(state).all().length > 0 || isUntold(records);
}

class OutboxPager implements Pager {
  readonly #options: PagerOptions;
  readonly #limits: PagerLimits;
  readonly #channels: readonly Channel[];
  readonly #outbox: Outbox;

  constructor(options: PagerOptions, limits: PagerLimits, channels: readonly Channel[]) {
    this.#options = options;
    this.#limits = limits;
    this.#channels = channels;
    this.#outbox = new Outbox(options.app.state);
  }

  async page(rest: Rest): Promise<void> {
    if (!isByPerson(rest.reason)) await this.#within(signal => this.#tell(rest, signal));
  }

  async flush(): Promise<void> {
    const { journal } = this.#options;
    const rest = restOf(journal.state);
    const untold = rest !== null && isUntold(journal.records);
    await this.#within(signal =>
      Promise.all([this.#retry(signal), untold ? this.#tell(rest, signal) : null]),
    );
  }

  async #tell(rest: Rest, signal: AbortSignal): Promise<void> {
    const { journal, clock } = this.#options;
    const key = causeKey(rest, journal.state);
    if (wasPaged(journal.records, key, clock.now())) return;
    const entry: OutboxEntry = { v: 1, message: await this.#compose(rest, key), tries: {}, sent: [] };
    // On disk before the decision is recorded: a crash between the two loses nothing and tells nothing twice.
    this.#keep(entry);
    this.#record({ type: 'page.intent', key, title: entry.message.title });
    await this.#deliver(entry, this.#limits.pausesMs, signal);
  }

  async #compose(rest: Rest, key: string): Promise<PageMessage> {
    const { journal, app, next, clock, redact } = this.#options;
    return pageMessage({
      rest,
      key,
      state: journal.state,
      list: await app.readList().catch(() => null),
      project: app.name,
      next: next(rest.reason),
      at: Date.parse(journal.state.lastAt ?? '') || clock.now(),
      redact,
    });
  }

  /** Only what the journal knows: a file that somebody else laid there goes nowhere. */
  async #retry(signal: AbortSignal): Promise<void> {
    const known = new Set(this.#options.journal.records.flatMap(stamp => intentKey(stamp) ?? []));
    const entries = this.#outbox.all().filter(entry => known.has(entry.message.key));
    await Promise.all(entries.map(entry => this.#deliver(entry, [], signal)));
  }

  async #deliver(entry: OutboxEntry, pausesMs: readonly number[], signal: AbortSignal): Promise<void> {
    const pending = this.#channels.filter(({ name }) => !entry.sent.includes(name));
    await Promise.all(pending.map(channel => this.#deliverBy(channel, entry, pausesMs, signal)));
    if (this.#channels.every(({ name }) => entry.sent.includes(name))) this.#outbox.remove(entry.message.key);
  }

  /** One try, and one more after each pause, as long as it makes sense. */
  async #deliverBy(
    channel: Channel,
    entry: OutboxEntry,
    pausesMs: readonly number[],
    signal: AbortSignal,
  ): Promise<void> {
    const { name } = channel;
    const { key } = entry.message;
    let error: string | null = null;
    for (const pauseMs of [0, ...pausesMs]) {
      await this.#options.clock.sleep(pauseMs, signal).catch(() => {});
      const tries = entry.tries[name] ?? 0;
      if (signal.aborted || tries >= this.#limits.mostTries) break;
      entry.tries[name] = tries + 1;
      this.#keep(entry);
      const delivery = await channel.send(entry.message, signal);
      if (delivery.ok) {
        entry.sent.push(name);
        this.#keep(entry);
        this.#record({ type: 'page.sent', key, channel: name });
        return;
      }
      error = delivery.error;
      if (!delivery.again) break;
    }
    if (error !== null) this.#fail(key, name, error);
  }

  /** What goes wrong in `work` is recorded, and changes no run's end. */
  async #within(work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const [deadline, done] = [new AbortController(), new AbortController()];
    this.#options.clock.sleep(this.#limits.totalMs, done.signal).then(
      () => deadline.abort(),
      () => {},
    );
    try {
      await work(deadline.signal);
    } catch (error) {
      this.#fail('', 'pager', error);
    } finally {
      done.abort();
    }
  }

  #keep(entry: OutboxEntry): void {
    despiteDisk(() => this.#outbox.put(entry));
  }

  #record(event: PageEvent): void {
    despiteDisk(() => this.#options.journal.append(event));
  }

  #fail(key: string, channel: string, error: unknown): void {
    const told = oneLine(this.#options.redact(messageOf(error)), ERROR_BYTES);
    this.#record({ type: 'page.failed', key, channel, error: told });
  }
}

/** A full disk or a broken journal must not keep a page from going out: the run tells of them itself. */
function despiteDisk(write: () => unknown): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof LonghaulError) && systemCode(error) === undefined) throw error;
  }
}

function intentKey(stamp: RecordStamp): string | null {
  const page = asPageRecord(stamp);
  return page?.type === 'page.intent' ? page.key : null;
}
