// A browser that is up: runs one action at a time within its deadline and tells what came of it.

import type { Clock } from '../base/clock.js';
import { oneLine } from '../base/cut-text.js';
import { firstOf } from '../base/deadline.js';
import { terminalText } from '../base/terminal-text.js';
import {
  type BrowserAction,
  type BrowserLimits,
  type BrowserResult,
  type Outcome,
  problem,
} from './agent-browser-action.js';
import type { BrowserServer } from './agent-browser-server.js';
import { type Tab, Tabs } from './agent-browser-tabs.js';
import { actOnPage, VIEW_HEIGHT, VIEW_WIDTH } from './page-actions.js';
import { PageDialogs } from './page-dialogs.js';
import { PageEvents } from './page-events.js';
import { describeFailure, isClosed } from './page-failure.js';
import { whatChanged } from './page-look.js';
import { actOnTabs, isTabAction } from './page-tab-actions.js';

export interface LiveBrowserOptions {
  server: BrowserServer;
  clock: Clock;
  limits: BrowserLimits;
  downloadFolder: string;
}

const NAVIGATIONS: BrowserAction['kind'][] = ['open', 'reload', 'back'];
/** On top of an action's own deadline, for looking at what it did. */
const LOOKING_MS = 8_000;
const SNAPSHOT_MS = 3_000;
const NEWS_MS = 500;
/** The parts of a result have limits of their own, which together are about this. */
const RESULT_CHARACTERS = 24_000;
const TITLE_BYTES = 150;
const URL_BYTES = 300;

export class LiveBrowser {
  readonly #server: BrowserServer;
  readonly #clock: Clock;
  readonly #limits: BrowserLimits;
  readonly #events = new PageEvents();
  readonly #dialogs = new PageDialogs();
  readonly #tabs: Tabs;

  static async open(options: LiveBrowserOptions): Promise<LiveBrowser> {
    const context = await options.server.browser.newContext({
      viewport: { width: VIEW_WIDTH, height: VIEW_HEIGHT },
    });
    context.setDefaultTimeout(options.limits.actionMs);
    context.setDefaultNavigationTimeout(options.limits.navigationMs);
    return new LiveBrowser(options, context);
  }

  private constructor(
    { server, clock, limits, downloadFolder }: LiveBrowserOptions,
    context: ConstructorParameters<typeof Tabs>[0]['context'],
  ) {
    this.#server = server;
    this.#clock = clock;
    this.#limits = limits;
    this.#tabs = new Tabs({ context, events: this.#events, dialogs: this.#dialogs, clock, downloadFolder });
  }

  get isUp(): boolean {
    return this.#server.isUp;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async run(action: BrowserAction, signal: AbortSignal): Promise<BrowserResult> {
    const ownMs = this.#deadlineOf(action.kind);
    const work = this.#act(action).then(
      outcome => ({ outcome }),
      (error: unknown) => ({ error }),
    );
    const first = await firstOf(work, { ms: ownMs + LOOKING_MS, clock: this.#clock, signal });
    if (first === 'signal') {
      return { text: 'Interrupted: the session is being stopped.', isError: true };
    }
    const end = first === 'ended' ? await work : { error: null };
    if ('outcome' in end) return this.#result(end.outcome);
    return this.#result(problem(await this.#whatFailed(end.error, action.kind)));
  }

  async #act(action: BrowserAction): Promise<Outcome> {
    const tabs = this.#tabs;
    if (isTabAction(action)) return actOnTabs(action, { tabs, events: this.#events, dialogs: this.#dialogs });
    const tab = action.kind === 'open' ? await this.#tabToOpenIn() : tabs.current;
    if (!tab) return problem('No page is open. Open one first: open with url "/".');
    const outcome = await actOnPage(action, { tab, tabs, limits: this.#limits });
    if (!outcome.ok || !outcome.look) return outcome;
    const isQuiet = await tab.traffic.settle();
    await tabs.settleDownloads();
    if (tab.page.isClosed()) return outcome;
    await tab.page.waitForLoadState('domcontentloaded', { timeout: this.#limits.navigationMs });
    const { awaited } = tab.traffic;
    if (awaited)
      return { ...outcome, body: `The next page (${short(awaited)}) has not come yet. Read again later.` };
    const changed = await whatChanged(tab, SNAPSHOT_MS);
    return { ...outcome, body: isQuiet ? changed : `Some requests are not answered yet.\n${changed}` };
  }

  /** The current tab, unless it would keep every navigation waiting. */
  async #tabToOpenIn(): Promise<Tab> {
    const tab = this.#tabs.current;
    if (tab?.traffic.awaited) await this.#stopLoading(tab);
    if (tab && !(await this.#reacts(tab))) {
      this.#events.news(`Tab ${tab.number} did not react any more.`);
      await this.#drop(tab);
    }
    return this.#tabs.ensure();
  }

  /** A sentence about it. Null is an action that ended in no way at all. */
  async #whatFailed(error: unknown, kind: BrowserAction['kind']): Promise<string> {
    const ms = this.#deadlineOf(kind);
    // The news of its end may come a moment after its effects.
    if (isClosed(error)) await firstOf(this.#server.ended, { ms: NEWS_MS, clock: this.#clock });
    if (!this.isUp) {
      return 'The browser ended during this call. The next call starts a new one, without tabs, cookies and storage.';
    }
    const tab = this.#tabs.current;
    const awaited = tab?.traffic.awaited;
    if (tab && awaited) {
      await this.#stopLoading(tab);
      return `The server did not answer ${short(awaited)} within ${ms / 1000} s; the page of before is still there.`;
    }
    if (tab && !(await this.#reacts(tab))) {
      const what = (await this.#drop(tab)) ? 'It was closed' : 'The browser had to be ended with it';
      return `Given up after ${ms / 1000} s: the page does not react any more, most likely because a script in it never ends. ${what}; mend that, then open it again.`;
    }
    if (error === null) return `Given up after ${ms / 1000} s: the page is too slow.`;
    return describeFailure(error, ms);
  }

  /** As the button of a browser: an answer that comes later does not replace the page any more. */
  async #stopLoading({ page }: Tab): Promise<void> {
    const stopped = page
      .context()
      .newCDPSession(page)
      .then(async cdp => {
        await cdp.send('Page.stopLoading');
        await cdp.detach();
      })
      .catch(() => {});
    await firstOf(stopped, { ms: this.#limits.probeMs, clock: this.#clock });
  }

  async #reacts({ page }: Tab): Promise<boolean> {
    const answer = page.evaluate('1').catch(() => {});
    return (await firstOf(answer, { ms: this.#limits.probeMs, clock: this.#clock })) === 'ended';
  }

  /** False when a page cannot be closed, and the browser is. */
  async #drop(tab: Tab): Promise<boolean> {
    if (await this.#tabs.close(tab)) return true;
    await this.#server.close();
    return false;
  }

  async #result(outcome: Outcome): Promise<BrowserResult> {
    const head = outcome.ok ? outcome.did : outcome.problem;
    const page = this.isUp ? await this.#describePage() : [];
    const waiting = this.#dialogs.planned;
    const lines = [
      head,
      ...page,
      ...this.#events.takeNews(),
      ...(outcome.ok && outcome.look && waiting > 0
        ? [`${waiting} planned answer${waiting === 1 ? ' is' : 's are'} still waiting for a dialog.`]
        : []),
      ...(outcome.ok && outcome.body ? [outcome.body] : []),
    ];
    return {
      text: safeText(lines.join('\n')),
      isError: !outcome.ok,
      ...(outcome.ok && outcome.picture ? { png: outcome.picture.png } : {}),
    };
  }

  /** Where the caller is; nothing when no page is open. */
  async #describePage(): Promise<string[]> {
    const tab = this.#tabs.current;
    if (!tab) return [];
    let title = '';
    const asked = tab.page.title().then(
      text => {
        title = text;
      },
      () => {},
    );
    await firstOf(asked, { ms: this.#limits.probeMs, clock: this.#clock });
    const url = short(tab.page.url());
    const others = this.#tabs.all.map(({ number }) => number);
    const width = tab.page.viewportSize()?.width ?? VIEW_WIDTH;
    return [
      [
        url.startsWith('chrome-error:')
          ? 'Page: none, since the last navigation failed'
          : `Page: ${title.trim() === '' ? '(no title)' : JSON.stringify(oneLine(title, TITLE_BYTES))} ${url}`,
        ...(others.length > 1 ? [`tab ${tab.number} of ${others.join(', ')}`] : []),
        ...(width === VIEW_WIDTH ? [] : [`${width} px wide`]),
      ].join(', '),
    ];
  }

  #deadlineOf(kind: BrowserAction['kind']): number {
    return NAVIGATIONS.includes(kind) ? this.#limits.navigationMs : this.#limits.actionMs;
  }
}

/** A page can hold what no request may: control characters, halves of characters, and a lot of it. */
function safeText(text: string): string {
  const safe = terminalText(text).toWellFormed();
  return safe.length <= RESULT_CHARACTERS ? safe : `${safe.slice(0, RESULT_CHARACTERS - 1).toWellFormed()}…`;
}

function short(url: string): string {
  return oneLine(url, URL_BYTES);
}
