// The pages that are open: numbered, one of them current, with everything that happens in them on record.

import type { BrowserContext, ConsoleMessage, Page } from 'playwright';
import type { Clock } from '../base/clock.js';
import { oneLine } from '../base/cut-text.js';
import { firstOf } from '../base/deadline.js';
import type { PageDialogs } from './page-dialogs.js';
import { saveDownload } from './page-downloads.js';
import type { PageEvents } from './page-events.js';
import type { SeenPage } from './page-seen.js';
import { PageTraffic } from './page-settle.js';

export interface Tab {
  /** From 1 on, never given twice. */
  readonly number: number;
  readonly page: Page;
  readonly traffic: PageTraffic;
  /** As it was looked at last. */
  seen: SeenPage | null;
}

export interface TabsOptions {
  context: BrowserContext;
  events: PageEvents;
  dialogs: PageDialogs;
  clock: Clock;
  downloadFolder: string;
}

const MOST_TABS = 8;
const CLOSE_MS = 3_000;
const DOWNLOAD_MS = 5_000;
const URL_BYTES = 200;
const PLACE_BYTES = 100;
const STACK_LINES = 3;

export class Tabs {
  readonly #options: TabsOptions;
  readonly #tabs = new Map<Page, Tab>();
  readonly #downloads = new Set<Promise<void>>();
  #numbers = 0;
  #current: Tab | null = null;
  /** While a caller handles a file chooser itself, it is no news. */
  expectsChooser = false;

  constructor(options: TabsOptions) {
    this.#options = options;
    const { context, events, dialogs } = options;
    context.on('page', page => this.#add(page));
    context.on('dialog', dialog => events.news(dialogs.answer(dialog)));
    context.on('console', message => {
      const tab = this.#numberOf(message.page());
      events.console({ type: message.type(), text: message.text(), where: placeOf(message), tab });
    });
    context.on('weberror', webError => {
      const tab = this.#numberOf(webError.page());
      events.console({ type: 'uncaught', text: stackOf(webError.error()), where: '', tab });
    });
    context.on('download', download => {
      const saved = saveDownload(download, options.downloadFolder).then(line => events.news(line));
      this.#downloads.add(saved);
      void saved.finally(() => this.#downloads.delete(saved));
    });
  }

  get current(): Tab | null {
    return this.#current;
  }

  get all(): Tab[] {
    return [...this.#tabs.values()];
  }

  /** The current one, or a new one when there is none. */
  async ensure(): Promise<Tab> {
    if (this.#current) return this.#current;
    const page = await this.#options.context.newPage();
    this.#current = this.#add(page);
    return this.#current;
  }

  async switchTo(tab: Tab): Promise<void> {
    this.#current = tab;
    await tab.page.bringToFront();
  }

  /** Returns whether it worked: a page can be too busy even for that. */
  async close(tab: Tab): Promise<boolean> {
    const closed = tab.page.close().catch(() => {});
    const first = await firstOf(closed, { ms: CLOSE_MS, clock: this.#options.clock });
    this.#remove(tab);
    return first === 'ended';
  }

  /** Waits for downloads under way, but not for ever; the line about a later one comes later. */
  async settleDownloads(): Promise<void> {
    if (this.#downloads.size === 0) return;
    await firstOf(Promise.all(this.#downloads), { ms: DOWNLOAD_MS, clock: this.#options.clock });
  }

  /** `page` comes by an event too, which may be earlier or later than the answer to `newPage`. */
  #add(page: Page): Tab {
    const known = this.#tabs.get(page);
    if (known) return known;
    const { events, clock } = this.#options;
    const number = ++this.#numbers;
    const tab: Tab = { number, page, traffic: new PageTraffic(page, clock), seen: null };
    this.#tabs.set(page, tab);
    page.on('crash', () => {
      events.news(`Tab ${number} crashed and was closed; open its address again.`);
      void this.close(tab);
    });
    page.on('close', () => this.#remove(tab));
    page.on('filechooser', () => {
      if (!this.expectsChooser)
        events.news('The page asked for a file. Use upload on the element that was clicked.');
    });
    if (this.#current !== null) this.#tellNew(tab);
    return tab;
  }

  #tellNew(tab: Tab): void {
    const { events } = this.#options;
    if (this.#tabs.size > MOST_TABS) {
      events.news(`The page opened another tab; it was closed, since ${MOST_TABS} are open.`);
      void this.close(tab);
      return;
    }
    const url = oneLine(tab.page.url(), URL_BYTES);
    events.news(
      `A new tab opened: tab ${tab.number}${url === 'about:blank' ? '' : ` (${url})`}. Use tabs with its number to go there.`,
    );
  }

  #remove(tab: Tab): void {
    if (!this.#tabs.delete(tab.page) || this.#current !== tab) return;
    this.#current = this.all.at(-1) ?? null;
    const now = this.#current ? `tab ${this.#current.number} is the current one now` : 'no page is open now';
    this.#options.events.news(`Tab ${tab.number} was closed; ${now}.`);
  }

  #numberOf(page: Page | null): number {
    return (page && this.#tabs.get(page)?.number) ?? 1;
  }
}

/** Its first lines. Pages throw all kinds of things. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.stack?.split('\n').slice(0, STACK_LINES).join(' ') || error.message || error.name;
}

/** `/app.js:12`; a failed request has no line. */
function placeOf(message: ConsoleMessage): string {
  const { url, line } = message.location();
  if (url === '') return '';
  const path = oneLine(url.replace(/^https?:\/\/[^/]+/, '') || '/', PLACE_BYTES);
  return message.text().startsWith('Failed to load resource') ? path : `${path}:${line + 1}`;
}
