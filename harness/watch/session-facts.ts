// When each session was and what it cost, from the journal. Pure.

import type { JournalRecord } from '../journal/records.js';
import { applyRecord } from '../journal/reduce.js';
import { emptyState } from '../journal/run-state.js';

export interface SessionFacts {
  began: string;
  /** Null while it goes on. */
  ended: string | null;
  usd: number;
}

export function sessionFacts(records: readonly JournalRecord[]): Map<number, SessionFacts> {
  const state = emptyState();
  const facts = new Map<number, SessionFacts>();
  let open: { facts: SessionFacts; before: number } | null = null;
  for (const record of records) {
    applyRecord(state, record);
    if (record.type === 'session.begin') {
      open = { facts: { began: record.at, ended: null, usd: 0 }, before: state.spentUsd };
      facts.set(record.session, open.facts);
    }
    if (!open) continue;
    open.facts.usd = state.spentUsd - open.before;
    if (record.type === 'session.end' || record.type === 'session.abandoned') {
      open.facts.ended = record.at;
      open = null;
    }
  }
  return facts;
}
