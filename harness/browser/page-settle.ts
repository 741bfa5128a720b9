// Waits until a page has done what an action set off: requests answered, a new document there, or long enough.

import type { Page, Request } from 'playwright';
import type { Clock } from '../base/clock.js';

/** Requests after which a page usually looks different. Others (pictures, streams of events) may never end. */
const TELLING = new Set(['document', 'script', 'stylesheet', 'fetch', 'xhr']);
/** So long nothing must have begun or ended. */
const QUIET_MS = 80;
const LONGEST_MS = 2_500;
const POLL_MS = 20;

/** What one page has under way. */
export class PageTraffic {
  readonly #pending = new Set<Request>();
  readonly #clock: Clock;
  #last = 0;
  #documents = 0;
  #navigation: Request | null = null;

  constructor(page: Page, clock: Clock) {
    this.#clock = clock;
    page.on('request', request => {
      if (isOfMainFrame(request, page)) this.#navigation = request;
      if (!TELLING.has(request.resourceType())) return;
      this.#pending.add(request);
      this.#touch();
    });
    page.on('requestfinished', request => this.#end(request));
    page.on('requestfailed', request => this.#end(request));
    page.on('framenavigated', frame => {
      if (frame === page.mainFrame()) this.#navigation = null;
    });
    page.on('domcontentloaded', () => {
      this.#documents++;
      this.#touch();
    });
  }

  /** How many documents the page has had; another one means that it is a new page. */
  get documents(): number {
    return this.#documents;
  }

  /** Address of a page that has been asked for and has not come; until then, the old one cannot be worked with. */
  get awaited(): string | null {
    return this.#navigation?.url() ?? null;
  }

  /** False when something is still under way; that is not waited for again, since a request may never end. */
  async settle(): Promise<boolean> {
    const clock = this.#clock;
    const begun = clock.monotonic();
    this.#last = begun;
    while (clock.monotonic() - begun < LONGEST_MS) {
      await clock.sleep(POLL_MS);
      if (this.#pending.size === 0 && clock.monotonic() - this.#last >= QUIET_MS) return true;
    }
    this.#pending.clear();
    return false;
  }

  #end(request: Request): void {
    if (this.#navigation === request) this.#navigation = null;
    if (this.#pending.delete(request)) this.#touch();
  }

  #touch(): void {
    this.#last = this.#clock.monotonic();
  }
}

function isOfMainFrame(request: Request, page: Page): boolean {
  try {
    return request.isNavigationRequest() && request.frame() === page.mainFrame();
  } catch {
    return false; // The first request of a new tab comes before its frame.
  }
}
