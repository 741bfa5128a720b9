// Why a person is paged, and whether this was told before: one page for each cause. Pure.

import { createHash } from 'node:crypto';
import { passedCount, type RunState } from '../journal/run-state.js';
import { asPageRecord, type RecordStamp } from './records.js';

/** A run that came to rest. `reason` is a park reason or `done`. */
export interface Rest {
  reason: string;
  detail: string;
}

/** A person who stopped the run knows it. */
const BY_A_PERSON: ReadonlySet<string> = new Set(['interrupted', 'stopped', 'paused']);

/** The same cause is told again after this long, when a person had said "go on" and it came back. */
const REPEAT_MS = 3_600_000;

/** Numbers of requests and the like, which differ each time although the trouble is the same. */
const PASSING = /\b(?:req_\w+|[0-9a-f]{12,}|[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4})\b/gi;

export function isByPerson(reason: string): boolean {
  return BY_A_PERSON.has(reason);
}

/** How the run rests, if it does and somebody else than a person brought that about. */
export function restOf({ phase, parked }: RunState): Rest | null {
  if (phase === 'done') return { reason: 'done', detail: '' };
  if (phase !== 'parked' || !parked || isByPerson(parked.reason)) return null;
  return { reason: parked.reason, detail: parked.detail };
}

/** Names the cause: the same while nothing was won and nothing was spent. 16 hex digits. */
export function causeKey(rest: Rest, state: RunState): string {
  const facts = [
    state.runId,
    rest.reason,
    rest.detail.replace(PASSING, ''),
    passedCount(state),
    state.total,
    state.spentUsd.toFixed(4),
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

/** True when a page for this cause was decided on before, unless it is due again. */
export function wasPaged(records: readonly RecordStamp[], key: string, nowMs: number): boolean {
  const last = records.findLastIndex(record => {
    const page = asPageRecord(record);
    return page?.type === 'page.intent' && page.key === key;
  });
  if (last < 0) return false;
  const resumed = records.slice(last).some(record => record.type === 'person.resume');
  const ageMs = nowMs - Date.parse(records[last]?.at ?? '');
  return !(resumed && ageMs >= REPEAT_MS);
}

/** The run came to rest, but its process ended before it could page: nothing of it is recorded since. */
export function isUntold(records: readonly RecordStamp[]): boolean {
  const rest = records.findLastIndex(({ type }) => type === 'run.parked' || type === 'run.done');
  if (rest < 0) return false;
  return !records
    .slice(rest)
    .some(({ type }) => type === 'process.end' || type === 'person.resume' || type === 'page.intent');
}
