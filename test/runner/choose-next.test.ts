import { describe, expect, it } from 'vitest';
import { dollars, span } from '../../harness/base/amounts.js';
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

describe('FC-013: a feature at which the model refuses each time', () => {
  it('is set aside with its reason, the others get their sessions, and what stays is stuck', () => {
    const aside = { type: 'feature.set_aside', feature: 'F-001', attempts: 3 } as const;
    const refused = [2, 3, 4].flatMap(n => session(n, 'F-001', 'refusal'));
    const state = stateOf(executing(), refused, [aside]);
    expect(state.features.get('F-001')).toMatchObject({ passed: false, attempts: 3 });
    expect(state.features.get('F-001')?.history.map(({ end }) => end)).toEqual(Array(3).fill('refusal'));
    expect(chooseNext(state, list(), SETTINGS)).toMatchObject({ feature: { id: 'F-002' } });
    const others = [begin(5, 'F-002'), flip(5, 'F-002'), begin(6, 'F-003'), flip(6, 'F-003')].flat();
    const last = session(7, 'F-001', 'refusal');
    const all = stateOf(executing(), refused, [aside], others, last);
    expect(chooseNext(all, list('F-002', 'F-003'), SETTINGS)).toMatchObject({
      kind: 'park',
      reason: 'stuck',
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
    [0, '$0.00'],
    [1e-17, '$0.00'],
    [0.000_2, '$0.01'],
    [0.006, '$0.01'],
    [0.014, '$0.01'],
    [1.999, '$2.00'],
  ])('says $%d as %s: what was spent is never nothing (FC-116)', (usd, text) => {
    expect(dollars(usd)).toBe(text);
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
