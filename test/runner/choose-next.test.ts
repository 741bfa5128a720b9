import { describe, expect, it } from 'vitest';
import { span } from '../../harness/base/amounts.js';
import type { Feature } from '../../harness/features/feature-list.js';
import type { JournalEvent } from '../../harness/journal/records.js';
import { chooseNext } from '../../harness/runner/choose-next.js';
import { endSentence } from '../../harness/runner/end-sentence.js';
import { begin, executing, flip, session, stateOf } from '../support/records.js';

const SETTINGS = { attempts: 3, patience: 7, maxSessions: 100 };
const list = (...passing: string[]): Feature[] =>
  ['F-001', 'F-002', 'F-003'].map(id => ({
    id,
    category: 'functional',
    description: id,
    steps: ['Look'],
    passes: passing.includes(id),
  }));

describe('chooseNext', () => {
  it('begins with an initializer, again while it failed less than three times, then parks', () => {
    const failed = (n: number): JournalEvent[] => {
      const begun = {
        type: 'session.begin',
        session: n,
        kind: 'initializer',
        feature: null,
        title: '',
        base: '',
      } as JournalEvent;
      const ended = {
        type: 'session.end',
        session: n,
        reason: 'turn_limit',
        summary: '',
        turns: 1,
        outcome: null,
        blockedBy: [],
        salvage: null,
        did: [],
      } as JournalEvent;
      return [begun, ended];
    };
    const start = executing().slice(0, 1);
    expect(chooseNext(stateOf(start), null, SETTINGS)).toEqual({ kind: 'initializer' });
    expect(chooseNext(stateOf(start, failed(1), failed(2)), null, SETTINGS)).toEqual({ kind: 'initializer' });
    expect(chooseNext(stateOf(start, failed(1), failed(2), failed(3)), null, SETTINGS)).toMatchObject({
      kind: 'park',
      reason: 'init_failed',
    });
  });

  it('takes the next feature, and is done when all pass', () => {
    expect(chooseNext(stateOf(executing()), list(), SETTINGS)).toMatchObject({
      kind: 'executor',
      feature: { id: 'F-001' },
    });
    expect(chooseNext(stateOf(executing()), list('F-001', 'F-002', 'F-003'), SETTINGS)).toEqual({
      kind: 'done',
    });
  });

  it('believes the list and not the words of a session', () => {
    const said = stateOf(executing(), session(2, 'F-001', 'finished'));
    expect(chooseNext(said, list(), SETTINGS)).toMatchObject({ kind: 'executor' });
  });

  it('parks as stuck when patience is gone', () => {
    const idle = Array.from({ length: 7 }, (_, n) =>
      session(n + 2, n % 2 ? 'F-001' : 'F-002', 'turn_limit'),
    ).flat();
    expect(chooseNext(stateOf(executing(), idle), list(), { ...SETTINGS, attempts: 50 })).toMatchObject({
      reason: 'stuck',
    });
  });

  it('parks as stuck when only given-up features are left, before patience is gone', () => {
    const tries = Array.from({ length: 4 }, (_, n) => session(n + 2, 'F-002', 'turn_limit')).flat();
    const aside = { type: 'feature.set_aside', feature: 'F-002', attempts: 3 } as const;
    const state = stateOf(executing(), tries, [aside]);
    expect(state.idle).toBe(4);
    expect(chooseNext(state, list('F-001', 'F-003'), SETTINGS)).toMatchObject({
      kind: 'park',
      reason: 'stuck',
      detail: expect.stringContaining('F-002'),
    });
  });

  it('parks at the session limit', () => {
    expect(chooseNext(stateOf(executing()), list(), { ...SETTINGS, maxSessions: 1 })).toMatchObject({
      reason: 'session_limit',
    });
  });
});

describe('the last line', () => {
  it('has the reason and the counts', () => {
    const state = stateOf(executing(), begin(2, 'F-001'), flip(2, 'F-001'));
    state.spentUsd = 0.114;
    state.simulated = true;
    state.activeMs = 48_300;
    expect(endSentence({ exitCode: 0, reason: 'done', detail: '' }, state)).toBe(
      'done: 1 of 3 features pass, 2 sessions, $0.11 (simulated), 48 s',
    );
  });

  it.each([
    [99_000, '99 s'],
    [100_000, '2 min'],
    [99 * 60_000, '99 min'],
    [185 * 60_000, '3 h 5 min'],
    [52 * 3_600_000, '2 d 4 h'],
  ])('says %i ms as %s', (ms, text) => {
    expect(span(ms)).toBe(text);
  });
});
