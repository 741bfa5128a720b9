import { describe, expect, it } from 'vitest';
import { passedLimit } from '../../harness/model/stream-watchdog.js';
import { FakeClock } from '../support/fake-clock.js';

const LIMITS = { idleLimitMs: 600_000, totalLimitMs: 1_800_000 };
const settled = () => new Promise(setImmediate);

/** A watch on a stream that the test keeps alive by hand. */
function watch(limits = LIMITS) {
  const clock = new FakeClock();
  const over = new AbortController();
  let lastLifeMs = 0;
  let passed: string | undefined;
  const result = passedLimit(clock, limits, () => lastLifeMs, over.signal).then(
    limit => {
      passed = limit;
    },
    () => {
      passed = 'over';
    },
  );
  return {
    over,
    result,
    passed: () => passed,
    async wait(ms: number) {
      clock.advance(ms);
      await settled();
    },
    live: () => {
      lastLifeMs = clock.monotonic();
    },
  };
}

describe('passedLimit', () => {
  it('tells of silence when it has lasted as long as it may, not before', async () => {
    const stream = watch();
    await stream.wait(599_999);
    expect(stream.passed()).toBeUndefined();
    await stream.wait(1);
    expect(stream.passed()).toBe('idle');
  });

  it('counts silence from the last sign of life', async () => {
    const stream = watch();
    await stream.wait(500_000);
    stream.live();
    await stream.wait(599_999);
    expect(stream.passed()).toBeUndefined();
    await stream.wait(1);
    expect(stream.passed()).toBe('idle');
  });

  it('tells of a stream that lives for too long, however alive it is', async () => {
    const stream = watch();
    for (let minute = 0; minute < 29; minute++) {
      await stream.wait(60_000);
      stream.live();
    }
    expect(stream.passed()).toBeUndefined();
    await stream.wait(60_000);
    expect(stream.passed()).toBe('total');
  });

  it('ends when the stream is over', async () => {
    const stream = watch();
    stream.over.abort();
    await stream.result;
    expect(stream.passed()).toBe('over');
  });

  it('sets no timer that is longer than timers can be', async () => {
    const stream = watch({ idleLimitMs: 1e12, totalLimitMs: 2e12 });
    await stream.wait(3_600_000);
    expect(stream.passed()).toBeUndefined();
    stream.over.abort();
    await stream.result;
  });
});
