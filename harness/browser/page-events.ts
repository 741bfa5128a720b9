// What happened in the browser besides what was asked for: kept in constant memory, told once.

import { oneLine } from '../base/cut-text.js';

/** A message of a page's console, or an exception that nobody caught. */
export interface ConsoleEntry {
  /** `log`, `warning`, `error`, …; `uncaught` for exceptions. */
  type: string;
  text: string;
  /** Where it comes from: `app.js:12`; empty when unknown. */
  where: string;
  /** Of the tab that it happened in. */
  tab: number;
}

const MOST_ENTRIES = 200;
const MOST_NEWS = 8;
const MOST_ERRORS_TOLD = 5;
const TEXT_BYTES = 600;
const NEWS_BYTES = 300;
const ERROR_BYTES = 400;

export class PageEvents {
  readonly #entries: (ConsoleEntry & { times: number })[] = [];
  #dropped = 0;
  /** Of errors that `takeNews` has not told yet. */
  readonly #errors: string[] = [];
  #moreErrors = 0;
  readonly #news: string[] = [];
  #moreNews = 0;

  console(entry: ConsoleEntry): void {
    const bounded = { ...entry, text: oneLine(entry.text, TEXT_BYTES), times: 1 };
    const last = this.#entries.at(-1);
    if (last && last.text === bounded.text && last.type === bounded.type && last.tab === bounded.tab)
      last.times++;
    else this.#entries.push(bounded);
    if (this.#entries.length > MOST_ENTRIES) {
      this.#dropped += this.#entries.shift()?.times ?? 0;
    }
    if (entry.type !== 'error' && entry.type !== 'uncaught') return;
    const line = oneLine(describeEntry(bounded), ERROR_BYTES);
    if (this.#errors.includes(line)) return;
    if (this.#errors.length < MOST_ERRORS_TOLD) this.#errors.push(line);
    else this.#moreErrors++;
  }

  /** Something worth a line of its own: a dialog, a download, a new tab. */
  news(line: string): void {
    if (this.#news.length < MOST_NEWS) this.#news.push(oneLine(line, NEWS_BYTES));
    else this.#moreNews++;
  }

  /** Lines about everything since the last call. */
  takeNews(): string[] {
    const lines = [
      ...this.#news.splice(0),
      ...(this.#moreNews > 0 ? [`… and ${this.#moreNews} more of such events.`] : []),
      ...this.#errors.splice(0).map(line => `Console ${line}`),
      ...(this.#moreErrors > 0 ? [`… and ${this.#moreErrors} more errors; see console.`] : []),
    ];
    this.#moreNews = 0;
    this.#moreErrors = 0;
    return lines;
  }

  /** All messages since the last call. */
  takeConsole(): string[] {
    const lines = this.#entries
      .splice(0)
      .map(entry => describeEntry(entry) + (entry.times > 1 ? ` (${entry.times} times)` : ''));
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.#errors.length = 0;
    this.#moreErrors = 0;
    return dropped > 0 ? [`… ${dropped} earlier messages were dropped.`, ...lines] : lines;
  }
}

function describeEntry({ type, text, where, tab }: ConsoleEntry): string {
  const place = [...(where === '' ? [] : [where]), ...(tab > 1 ? [`tab ${tab}`] : [])].join(', ');
  return `${type}: ${text}${place === '' ? '' : ` (${place})`}`;
}
