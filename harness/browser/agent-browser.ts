// The agent's browser: one for a session, started when it is first needed and replaced when it has died.

import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { oneLine } from '../base/cut-text.js';
import { messageOf } from '../base/errors.js';
import type { Room } from '../workspace/room.js';
import type { BrowserAction, BrowserLimits, BrowserResult } from './agent-browser-action.js';
import { LiveBrowser } from './agent-browser-live.js';
import { startBrowserServer } from './agent-browser-server.js';
import type { FoundBrowser } from './find-browser.js';

export interface AgentBrowserOptions {
  /** The browser runs in it and dies with it. */
  room: Room;
  browser: FoundBrowser;
  clock: Clock;
  limits?: Partial<BrowserLimits>;
}

export interface AgentBrowser {
  /** Throw-away folder: its files may be uploaded, and downloads are saved below it. */
  readonly scratch: string;
  /** Calls are taken one after another. Never rejects for what a page or the browser does. */
  run(action: BrowserAction, signal: AbortSignal): Promise<BrowserResult>;
  /** Ends the browser with all that belongs to it. */
  close(): Promise<void>;
}

const PROBLEM_BYTES = 400;
const LIMITS: BrowserLimits = { actionMs: 10_000, navigationMs: 15_000, startMs: 20_000, probeMs: 3_000 };

export function openAgentBrowser(options: AgentBrowserOptions): AgentBrowser {
  return new LazyBrowser(options);
}

class LazyBrowser implements AgentBrowser {
  readonly scratch: string;
  readonly #options: AgentBrowserOptions;
  readonly #limits: BrowserLimits;
  readonly #closing = new AbortController();
  #live: LiveBrowser | null = null;
  #starting: Promise<unknown> = Promise.resolve();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: AgentBrowserOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.scratch = options.room.scratch;
  }

  run(action: BrowserAction, signal: AbortSignal): Promise<BrowserResult> {
    const stop = AbortSignal.any([signal, this.#closing.signal]);
    const result = this.#queue.then(() => this.#run(action, stop));
    this.#queue = result.catch(() => {});
    return result;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#starting;
    await this.#live?.close();
    this.#live = null;
  }

  async #run(action: BrowserAction, signal: AbortSignal): Promise<BrowserResult> {
    if (signal.aborted) return failure('Not done: the session is being stopped.');
    const died = this.#live !== null && !this.#live.isUp;
    if (died) {
      await this.#live?.close();
      this.#live = null;
    }
    if (this.#live === null) {
      const starting = this.#start(signal);
      this.#starting = starting;
      const problem = await starting;
      if (problem !== null) return failure(`The browser could not be started. ${problem}`);
    }
    const live = this.#live;
    if (!live) return failure('Not done: the session is being stopped.');
    const result = await live.run(action, signal);
    return died ? { ...result, text: `${REPLACED}\n${result.text}` } : result;
  }

  /** Returns what went wrong, or null. */
  async #start(signal: AbortSignal): Promise<string | null> {
    const { room, browser, clock } = this.#options;
    const started = await startBrowserServer({
      room,
      browser,
      clock,
      startMs: this.#limits.startMs,
      signal,
    });
    if (!started.ok) return started.problem;
    const { server } = started;
    try {
      this.#live = await LiveBrowser.open({
        server,
        clock,
        limits: this.#limits,
        downloadFolder: join(this.scratch, 'downloads'),
      });
      return null;
    } catch (error) {
      await server.close();
      return `It ended at once: ${oneLine(messageOf(error), PROBLEM_BYTES)}`;
    }
  }
}

const REPLACED =
  '[The browser had ended since the last call; this is a new one, without the tabs, cookies and storage of the old one.]';

function failure(text: string): BrowserResult {
  return { text, isError: true };
}
