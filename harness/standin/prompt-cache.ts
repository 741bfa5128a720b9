// The prompt cache: which part of a prompt is read, which is written, and which costs the full price.

import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import type { Lifetime, Segment } from './prompt-segments.js';

/** A shorter prefix is never cached, whatever its breakpoints say. */
export const SHORTEST_PREFIX_TOKENS = 1024;
/** How many segments are tried at each breakpoint, itself included, when looking for a prefix seen before. */
export const LOOKBACK = 20;

const LIFETIME_MS: Record<Lifetime, number> = { '5m': 5 * 60_000, '1h': 60 * 60_000 };

/** The four add up to the tokens of the prompt. */
export interface CacheUse {
  read: number;
  written: Record<Lifetime, number>;
  uncached: number;
}

interface Prefix {
  hash: string;
  tokens: number;
  breakpoint: Lifetime | undefined;
}

export class PromptCache {
  readonly #clock: Clock;
  /** Until when each prefix lives, and how long a use keeps it so. */
  readonly #entries = new Map<string, { until: number; lifetime: Lifetime }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Accounts for one request and remembers its prefixes. An owner never reads what another one wrote. */
  use(owner: string, segments: readonly Segment[]): CacheUse {
    const prefixes = prefixesOf(owner, segments);
    const breakpoints = [...prefixes.keys()].filter(index => isBreakpoint(prefixes[index]));
    const readTo = Math.max(-1, ...breakpoints.map(at => this.#longestKnown(prefixes, at)));

    for (const prefix of prefixes.slice(0, readTo + 1)) this.#keepAlive(prefix);
    const use: CacheUse = { read: prefixes[readTo]?.tokens ?? 0, written: { '5m': 0, '1h': 0 }, uncached: 0 };
    let covered = use.read;
    for (const at of breakpoints.filter(at => at > readTo)) {
      const prefix = prefixes[at];
      if (prefix?.breakpoint === undefined) continue;
      use.written[prefix.breakpoint] += prefix.tokens - covered;
      covered = prefix.tokens;
      this.#write(prefix.hash, prefix.breakpoint);
    }
    use.uncached = (prefixes.at(-1)?.tokens ?? 0) - covered;
    return use;
  }

  #longestKnown(prefixes: readonly Prefix[], breakpoint: number): number {
    for (let at = breakpoint; at >= 0 && at > breakpoint - LOOKBACK; at--) {
      if (this.#living(prefixes[at]) !== undefined) return at;
    }
    return -1;
  }

  #living(prefix: Prefix | undefined): Lifetime | undefined {
    const entry = this.#entries.get(prefix?.hash ?? '');
    return entry !== undefined && entry.until > this.#clock.monotonic() ? entry.lifetime : undefined;
  }

  /** A use starts the lifetime anew; what has expired stays so until it is written again. */
  #keepAlive(prefix: Prefix): void {
    const lifetime = this.#living(prefix);
    if (lifetime !== undefined) this.#write(prefix.hash, lifetime);
  }

  #write(hash: string, lifetime: Lifetime): void {
    this.#entries.set(hash, { until: this.#clock.monotonic() + LIFETIME_MS[lifetime], lifetime });
  }
}

/** Each prefix's hash covers everything before it, so one changed byte changes all that follow. */
function prefixesOf(owner: string, segments: readonly Segment[]): Prefix[] {
  let hash = digest(owner);
  let tokens = 0;
  return segments.map(segment => {
    hash = digest(`${hash}\n${segment.key}`);
    tokens += segment.tokens;
    return { hash, tokens, breakpoint: segment.breakpoint };
  });
}

function isBreakpoint(prefix: Prefix | undefined): boolean {
  return prefix?.breakpoint !== undefined && prefix.tokens >= SHORTEST_PREFIX_TOKENS;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
