// A clock that a test moves by hand, or that jumps to the end of every sleep.

import type { Clock } from '../../harness/base/clock.js';

interface Sleeper {
  untilMs: number;
  wake(): void;
}

export class FakeClock implements Clock {
  /** Length of every sleep that began, ms. */
  readonly slept: number[] = [];
  #ms = 0;
  #sleepers: Sleeper[] = [];
  readonly #epochMs: number;
  readonly #jumps: boolean;

  /** `jumps`: nobody waits, time passes at once instead. */
  constructor({
    epochMs = Date.UTC(2026, 0, 1),
    jumps = false,
  }: {
    epochMs?: number;
    jumps?: boolean;
  } = {}) {
    this.#epochMs = epochMs;
    this.#jumps = jumps;
  }

  now(): number {
    return this.#epochMs + this.#ms;
  }

  monotonic(): number {
    return this.#ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!(ms < 2 ** 31)) throw new Error(`no timer can be ${ms} ms long`);
    signal?.throwIfAborted();
    this.slept.push(ms);
    if (this.#jumps) {
      this.#ms += Math.max(ms, 0);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const sleeper: Sleeper = { untilMs: this.#ms + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter(other => other !== sleeper);
        reject(signal.reason);
      });
    });
  }

  /** Moves time on and wakes whoever is due. */
  advance(ms: number): void {
    this.#ms += ms;
    const due = this.#sleepers.filter(sleeper => sleeper.untilMs <= this.#ms);
    this.#sleepers = this.#sleepers.filter(sleeper => sleeper.untilMs > this.#ms);
    for (const sleeper of due) sleeper.wake();
  }
}
