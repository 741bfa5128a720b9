// A run is built with the flags it was started with: they hold from start to start until others are given.

import { flagOf } from '../config/flag-of.js';
import type { Settings } from '../config/settings.js';
import type { JournalRecord } from '../journal/records.js';

/** The flags of the last start, but for the cap, which has a rule of its own; empty for a new run. */
export function keptFlags(records: readonly JournalRecord[]): Partial<Settings> {
  const last = records.findLast(record => record.type === 'process.begin');
  return last?.type === 'process.begin' ? withoutCap((last.flags ?? {}) as Partial<Settings>) : {};
}

export function withoutCap({ budgetUsd: _cap, ...flags }: Partial<Settings>): Partial<Settings> {
  return flags;
}

/** `--model claude-haiku-4-5 --turns 50`: those that were not given anew. */
export function describeKept(kept: Partial<Settings>, given: Partial<Settings>): string {
  return Object.entries(kept)
    .filter(([key]) => !(key in given))
    .map(([key, value]) => `--${flagOf(key)} ${String(value)}`)
    .join(' ');
}
