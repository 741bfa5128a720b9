// Short ways to write journals for tests of what is computed from them.

import {
  JOURNAL_VERSION,
  type JournalEvent,
  type JournalRecord,
  type SessionEndReason,
} from '../../harness/journal/records.js';
import { reduce } from '../../harness/journal/reduce.js';
import type { RunState } from '../../harness/journal/run-state.js';

/** Events as records of one process, a second apart. */
export function recordsOf(events: readonly JournalEvent[]): JournalRecord[] {
  return events.map((event, index) => ({
    v: JOURNAL_VERSION,
    seq: index + 1,
    gen: 1,
    at: new Date(1_700_000_000_000 + index * 1_000).toISOString(),
    ...event,
  }));
}

export function stateOf(...groups: (readonly JournalEvent[])[]): RunState {
  return reduce(recordsOf(groups.flat()));
}

/** A run whose start was accepted in session 1. */
export function executing(total = 3): JournalEvent[] {
  return [
    { type: 'run.begin', runId: 'r1', branch: 'main', specSha256: 's', longhaul: '0.1.0', files: [] },
    { type: 'session.begin', session: 1, kind: 'initializer', feature: null, title: '', base: '' },
    { type: 'commit.done', session: 1, purpose: { kind: 'init' }, commit: commitOf('init') },
    {
      type: 'init.done',
      session: 1,
      commit: commitOf('init'),
      contractSha256: 'c',
      total,
      plan: { stack: '', programs: [], questions: [] },
    },
    sessionEnd(1, 'finished'),
  ];
}

export function begin(session: number, feature: string): JournalEvent[] {
  return [{ type: 'session.begin', session, kind: 'executor', feature, title: '', base: commitOf('init') }];
}

/** A whole session without a pass. */
export function session(n: number, feature: string, reason: SessionEndReason): JournalEvent[] {
  return [...begin(n, feature), sessionEnd(n, reason)];
}

/** Intent and end of a feature's flip. */
export function flip(n: number, feature: string): [JournalEvent, JournalEvent] {
  const purpose = { kind: 'flip', feature } as const;
  return [
    { type: 'commit.intent', session: n, purpose, base: commitOf('init'), commit: commitOf(feature) },
    { type: 'commit.done', session: n, purpose, commit: commitOf(feature) },
  ];
}

/** 40 hex digits that differ by name. */
export function commitOf(name: string): string {
  return Buffer.from(name).toString('hex').padEnd(40, '0').slice(0, 40);
}

function sessionEnd(n: number, reason: SessionEndReason): JournalEvent {
  return {
    type: 'session.end',
    session: n,
    reason,
    summary: 'it ended',
    turns: 3,
    outcome: null,
    blockedBy: [],
    salvage: null,
    did: [],
  };
}
