import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freshPace, nextWait, ownWait } from '../../harness/base/backoff.js';

const HOUR = 3_600_000;
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** What the other side may say about how long to wait: nothing, the truth, lies and garbage. */
const announcement = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom(
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    2 ** 31,
    1e15,
    30 * 24 * HOUR,
  ),
  fc.integer({ min: 1, max: 3 * HOUR }),
  fc.integer({ min: 1, max: 3_000 }),
);

/** One failed try: how long it took, what was announced, and the dice for the wait. */
const failedTry = fc.record({
  took: fc.integer({ min: 0, max: 30_000 }),
  announcedMs: announcement,
  dice: random,
});

/** Times at which tries are sent in one outage. */
function sendTimes(tries: { took: number; announcedMs: number | undefined; dice: number }[]): number[] {
  let pace = freshPace;
  let nowMs = 0;
  const times = [0];
  for (const { took, announcedMs, dice } of tries) {
    nowMs += took;
    const next = nextWait(pace, { nowMs, announcedMs }, () => dice);
    pace = next.pace;
    nowMs += next.waitMs;
    times.push(nowMs);
  }
  return times;
}

describe('ownWait', () => {
  it('doubles from one second and stays below 90 s for ever', () => {
    const shortest = [1, 2, 3, 4, 5, 6, 7, 1000].map(failures => ownWait(failures, () => 0));
    expect(shortest).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 72000, 72000]);
    expect(ownWait(1, () => 0.999999)).toBeLessThan(2_000);
    expect(ownWait(1e9, () => 0.999999)).toBeLessThan(86_000);
  });

  it('never shrinks until it has reached its last step, whatever the dice', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), random, random, (failures, a, b) => {
        expect(ownWait(failures + 1, () => b)).toBeGreaterThanOrEqual(ownWait(failures, () => a));
      }),
    );
  });
});

describe('nextWait', () => {
  it('sends at most 60 tries in any hour, whatever is announced and however quickly tries fail', () => {
    fc.assert(
      fc.property(fc.array(failedTry, { minLength: 100, maxLength: 300 }), tries => {
        const times = sendTimes(tries);
        times.forEach((from, at) => {
          const within = times.slice(at).filter(time => time <= from + HOUR);
          expect(within.length).toBeLessThanOrEqual(60);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('sends at most 60 tries in an hour of the worst lies', () => {
    const hasty = Array.from({ length: 200 }, () => ({ took: 0, announcedMs: 1, dice: 0 }));
    const times = sendTimes(hasty);
    expect(times.filter(time => time <= HOUR).length).toBe(60);
  });

  it('waits at least a second and at most an hour', () => {
    fc.assert(
      fc.property(fc.array(failedTry, { minLength: 1, maxLength: 100 }), tries => {
        let pace = freshPace;
        let nowMs = 0;
        for (const { took, announcedMs, dice } of tries) {
          nowMs += took;
          const next = nextWait(pace, { nowMs, announcedMs }, () => dice);
          expect(next.waitMs).toBeGreaterThanOrEqual(1_000);
          expect(next.waitMs).toBeLessThanOrEqual(HOUR);
          pace = next.pace;
          nowMs += next.waitMs;
        }
      }),
    );
  });

  it('comes back within 5 s of an announced end and never before it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: HOUR }), random, (announcedMs, dice) => {
        const { waitMs } = nextWait(freshPace, { nowMs: 0, announcedMs }, () => dice);
        expect(waitMs).toBeGreaterThanOrEqual(announcedMs);
        expect(waitMs).toBeLessThanOrEqual(announcedMs + 5_000);
      }),
    );
  });

  it('still believes an announcement after an hour of outage without one', () => {
    let pace = freshPace;
    let nowMs = 0;
    for (let failures = 0; failures < 50; failures++) {
      const next = nextWait(pace, { nowMs }, () => 0.5);
      pace = next.pace;
      nowMs += next.waitMs;
    }
    expect(nextWait(pace, { nowMs, announcedMs: 20_000 }, () => 0.5).waitMs).toBeLessThanOrEqual(25_000);
  });

  it('comes back within 90 s of an end that nobody announced', () => {
    fc.assert(
      fc.property(
        fc.array(random, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 4_000_000 }),
        (dice, end) => {
          const times = sendTimes(dice.map(one => ({ took: 0, announcedMs: undefined, dice: one })));
          const back = times.find(time => time >= end);
          if (back !== undefined) expect(back - end).toBeLessThanOrEqual(90_000);
        },
      ),
    );
  });

  it('ends a day of outage with a few more than a thousand tries', () => {
    let pace = freshPace;
    let nowMs = 0;
    let tries = 1;
    while (nowMs < 24 * HOUR) {
      const next = nextWait(pace, { nowMs }, () => 0.5);
      pace = next.pace;
      nowMs += next.waitMs;
      tries++;
    }
    expect(tries).toBeGreaterThan(1_000);
    expect(tries).toBeLessThan(24 * 60);
  });
});
