// Time for a search: a deadline, and a pause now and then so that the rest of the process goes on meanwhile.

import type { Clock } from '../../base/clock.js';

/** Longest stretch without letting others run. */
const STRETCH_MS = 50;

export class Pace {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly #endsAt: number;
  #stretchBegan: number;

  constructor(clock: Clock, limitMs: number, signal: AbortSignal) {
    this.clock = clock;
    this.signal = signal;
    this.#stretchBegan = clock.monotonic();
    this.#endsAt = this.#stretchBegan + limitMs;
  }

  get leftMs(): number {
    return Math.max(this.#endsAt - this.clock.monotonic(), 0);
  }

  /** False once the time is over or the session is being stopped. */
  async goesOn(): Promise<boolean> {
    if (this.clock.monotonic() - this.#stretchBegan > STRETCH_MS) {
      await this.clock.sleep(0);
      this.#stretchBegan = this.clock.monotonic();
    }
    return this.leftMs > 0 && !this.signal.aborted;
  }
}
