import { describe, expect, it } from 'vitest';
import { type LimitName, limitReached, type SessionUse, wrapUpDue } from '../../harness/session/limits.js';

const MINUTE = 60_000;
const LIMITS = { turns: 200, ms: 90 * MINUTE };

const use = (change: Partial<SessionUse>): SessionUse => ({
  turns: 10,
  ms: 10 * MINUTE,
  money: null,
  ...change,
});
const due = (change: Partial<SessionUse>, announced: LimitName[] = [], limits = LIMITS) =>
  wrapUpDue(limits, use(change), new Set(announced));

describe('a limit', () => {
  it.each([
    ['turns', { turns: 200 }, 'turn_limit'],
    ['time', { ms: 90 * MINUTE }, 'time_limit'],
  ])('is reached: %s', (_, change, reason) => {
    expect(limitReached(LIMITS, use(change))?.reason).toBe(reason);
  });

  it('is not reached one turn and one moment before', () => {
    expect(limitReached(LIMITS, use({ turns: 199, ms: 90 * MINUTE - 1 }))).toBeNull();
  });
});

describe('the announcement', () => {
  it('comes when five turns are left, not before', () => {
    expect(due({ turns: 194 })).toBeNull();
    expect(due({ turns: 195 })).toEqual({ limits: ['turns'], what: 'turns', turns: 5 });
  });

  it('comes when a tenth of the time is left', () => {
    expect(due({ ms: 81 * MINUTE - 1 })).toBeNull();
    expect(due({ ms: 81 * MINUTE, turns: 81 })).toEqual({
      limits: ['time'],
      what: 'time (about 9 minutes left)',
      turns: 9,
    });
  });

  it('comes two minutes before the end of a short session', () => {
    const short = { turns: 200, ms: 10 * MINUTE };
    expect(due({ ms: 8 * MINUTE - 1 }, [], short)).toBeNull();
    expect(due({ ms: 8 * MINUTE }, [], short)?.limits).toEqual(['time']);
  });

  it.each([
    ['six calls', { usd: 0.6, lastCallUsd: 0.1 }, null],
    ['five calls', { usd: 0.5, lastCallUsd: 0.1 }, 5],
    ['less than one', { usd: 0.01, lastCallUsd: 0.1 }, 1],
    ['nothing', { usd: -0.2, lastCallUsd: 0.1 }, 1],
    ['nobody knows how many', { usd: 0.5, lastCallUsd: 0 }, null],
  ])('comes when money is left for %s', (_, money, turns) => {
    expect(due({ money })?.turns ?? null).toBe(turns);
  });

  it('comes once for each limit', () => {
    expect(due({ turns: 196 }, ['turns'])).toBeNull();
    expect(due({ turns: 196, ms: 85 * MINUTE }, ['turns'])?.limits).toEqual(['time']);
  });

  it('names all that are near, and the fewest turns that any of them leaves', () => {
    const money = { usd: 0.2, lastCallUsd: 0.1 };
    expect(due({ turns: 196, ms: 85 * MINUTE, money })).toEqual({
      limits: ['turns', 'time', 'money'],
      what: 'turns and time (about 5 minutes left) and money',
      turns: 2,
    });
  });

  it('counts a limit that it announced before when it says how many turns remain', () => {
    expect(due({ turns: 198, money: { usd: 0.5, lastCallUsd: 0.1 } }, ['turns'])).toMatchObject({
      limits: ['money'],
      turns: 2,
    });
  });

  it('does not come when the session is over anyway', () => {
    expect(due({ turns: 200 })).toBeNull();
  });
});
