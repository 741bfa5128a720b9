import { describe, expect, it } from 'vitest';
import { withoutTimes } from '../../harness/session/without-times.js';

describe('two results of the same thing', () => {
  it.each([
    ['[exit code 0, 0.3 s]', '[exit code 0, 12.0 s]'],
    ['[no output, exit code 1, 0.0 s, now in /app/src]', '[no output, exit code 1, 1.1 s, now in /app/src]'],
    ['2026-03-05T12:34:56.789Z GET /', '2026-03-05T12:34:58.001Z GET /'],
    ['2026-03-05 12:34:56,789 INFO up', '2026-03-06 00:00:01,000 INFO up'],
    ['2026-03-05 12:34 up', '2026-03-05 12:35 up'],
    ['Date: Thu, 05 Mar 2026 12:34:56 GMT', 'Date: Fri, 06 Mar 2026 08:00:00 GMT'],
    ['Thu Mar  5 12:34:56 2026', 'Fri Mar  6 12:34:57 2026'],
    ['[12:34:56] starting', '[7:04:59 PM] starting'],
    ['{"level":30,"time":1772712896789,"msg":"up"}', '{"level":30,"time":1772712996001,"msg":"up"}'],
    ['real\t0m0.312s', 'real\t1m10.4s'],
    ['✓ adds (3 ms)', '✓ adds (1,204 ms)'],
    ['built in 1.23s', 'built in 980ms'],
    ['# duration_ms 12.5', '# duration_ms 1300.25'],
    ['{"responseTime": 12}', '{"responseTime": 9}'],
    ['committed 3 seconds ago', 'committed 2 minutes ago'],
    ['listening, pid 4711', 'listening, pid 4712'],
    ['request 0b9f6f3e-1c2d-4e5f-8a9b-0c1d2e3f4a5b', 'request ffffffff-1c2d-4e5f-8a9b-0c1d2e3f4a5b'],
    [
      'Start at  16:05:43\nDuration  2.41s (transform 459ms)',
      'Start at  16:06:45\nDuration  6.13s (transform 1.11s)',
    ],
  ])('are the same: %s', (one, other) => {
    expect(withoutTimes(one)).toBe(withoutTimes(other));
  });
});

describe('progress', () => {
  it.each([
    ['34 % done', '35 % done'],
    ['[exit code 0, 0.3 s]', '[exit code 1, 0.3 s]'],
    ['encoded 12 s of 60 s', 'encoded 15 s of 60 s'],
    ['12s/60s', '15s/60s'],
    ['00:00:12 / 00:01:00', '00:00:15 / 00:01:00'],
    ['00:00:12.5 of 00:01:00', '00:00:15.5 of 00:01:00'],
    ['ETA 40 s', 'ETA 20 s'],
    ['40 s left', '20 s left'],
    ['3 failed, 12 passed', '2 failed, 13 passed'],
    ['src/app.ts:12:34 error', 'src/app.ts:12:40 error'],
    ['downloaded 1700000000 of 1800000000', 'downloaded 1710000000 of 1800000000'],
    ['12 specs', '13 specs'],
    ['version 1.2.3', 'version 1.2.4'],
    ['step 5/9', 'step 6/9'],
    ['port 4101', 'port 4102'],
  ])('is a change: %s', (one, other) => {
    expect(withoutTimes(one)).not.toBe(withoutTimes(other));
  });

  it('is found in a long output in no time', () => {
    const started = performance.now();
    withoutTimes('1'.repeat(40_000));
    withoutTimes('12:34:'.repeat(8_000));
    withoutTimes('1,'.repeat(20_000));
    withoutTimes('took '.repeat(8_000));
    // A hang guard: a pattern that backtracks needs minutes here.
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
