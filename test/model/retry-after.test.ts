import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { announcedWaitMs, faultOf } from '../../harness/model/classify-error.js';
import { rateLimitResetMs, retryAfterMs } from '../../harness/model/retry-after.js';

const NOW = Date.UTC(2026, 5, 1, 12, 0, 0);
const inSeconds = (seconds: number) => new Date(NOW + seconds * 1000);

describe('retryAfterMs', () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '20' }, 20_000],
    ['a fraction of seconds', { 'retry-after': ' 1.5 ' }, 1_500],
    ['milliseconds first', { 'retry-after-ms': '300', 'retry-after': '20' }, 300],
    ['seconds when the milliseconds are nonsense', { 'retry-after-ms': 'soon', 'retry-after': '20' }, 20_000],
    ['an HTTP date', { 'retry-after': inSeconds(20).toUTCString() }, 20_000],
    ['30 days, for the caller to clamp', { 'retry-after': '2592000' }, 2_592_000_000],
    ['nothing', {}, undefined],
    ['zero', { 'retry-after': '0' }, undefined],
    ['a negative number', { 'retry-after': '-1' }, undefined],
    ['not a number', { 'retry-after': 'NaN' }, undefined],
    ['infinity', { 'retry-after': 'Infinity' }, undefined],
    ['words', { 'retry-after': 'in a while' }, undefined],
    ['a date that has passed', { 'retry-after': inSeconds(-20).toUTCString() }, undefined],
  ])('understands %s', (_, headers, expected) => {
    expect(retryAfterMs(new Headers(headers), NOW)).toBe(expected);
  });

  it("measures a date by the server's clock, so that ours may be wrong", () => {
    const headers = new Headers({
      date: inSeconds(-7200).toUTCString(),
      'retry-after': inSeconds(-7180).toUTCString(),
    });
    expect(retryAfterMs(headers, NOW)).toBe(20_000);
  });
});

describe('rateLimitResetMs', () => {
  it('waits for the limit that is used up, not for one that is open', () => {
    const headers = new Headers({
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': inSeconds(20).toISOString(),
      'anthropic-ratelimit-tokens-remaining': '5000',
      'anthropic-ratelimit-tokens-reset': inSeconds(55).toISOString(),
    });
    expect(rateLimitResetMs(headers, NOW)).toBe(20_000);
  });

  it('takes the later of two that are used up, and the earlier of two that are not', () => {
    const resets = (remaining: string) =>
      new Headers({
        'anthropic-ratelimit-requests-remaining': remaining,
        'anthropic-ratelimit-requests-reset': inSeconds(20).toISOString(),
        'anthropic-ratelimit-tokens-remaining': remaining,
        'anthropic-ratelimit-tokens-reset': inSeconds(55).toISOString(),
      });
    expect(rateLimitResetMs(resets('0'), NOW)).toBe(55_000);
    expect(rateLimitResetMs(resets('9'), NOW)).toBe(20_000);
  });

  it('reads seconds since 1970', () => {
    const epoch = String(NOW / 1000 + 14_400);
    expect(rateLimitResetMs(new Headers({ 'anthropic-ratelimit-unified-reset': epoch }), NOW)).toBe(
      14_400_000,
    );
  });

  it('gives a positive number or nothing for any header at all', () => {
    const value = fc
      .oneof(
        fc.string({ unit: 'grapheme-ascii' }),
        fc.double().map(String),
        fc.date({ noInvalidDate: true }).map(String),
      )
      .filter(text => /^[\x20-\x7e]*$/.test(text));
    fc.assert(
      fc.property(value, value, value, (reset, after, date) => {
        const headers = new Headers({
          'anthropic-ratelimit-requests-reset': reset,
          'retry-after': after,
          date,
        });
        for (const ms of [rateLimitResetMs(headers, NOW), retryAfterMs(headers, NOW)]) {
          expect(ms === undefined || (Number.isFinite(ms) && ms > 0)).toBe(true);
        }
      }),
    );
  });
});

describe('announcedWaitMs', () => {
  const reset = new Headers({ 'anthropic-ratelimit-requests-reset': inSeconds(30).toISOString() });
  const failure = { type: undefined, code: undefined, message: undefined, headers: reset };

  it('reads resets only where a limit refused: they come with every other answer as well', () => {
    expect(announcedWaitMs({ ...failure, status: 429 }, 'rate_limit', NOW)).toBe(30_000);
    expect(announcedWaitMs({ ...failure, status: 529 }, 'overloaded', NOW)).toBeUndefined();
  });
});

describe('faultOf', () => {
  const failure = { status: undefined, code: undefined, message: undefined, headers: undefined };

  it.each([
    ['overloaded_error', 'overloaded'],
    ['api_error', 'overloaded'],
    ['timeout_error', 'overloaded'],
    ['rate_limit_error', 'rate_limit'],
    ['invalid_request_error', 'invalid'],
    ['authentication_error', 'auth'],
    ['billing_error', 'billing'],
    ['an_error_of_next_year', 'overloaded'],
  ])('takes the type %s of an event inside a stream for %s', (type, fault) => {
    expect(faultOf({ ...failure, type })).toBe(fault);
  });

  it('goes by the code before the status', () => {
    expect(faultOf({ ...failure, type: 'x', status: 400, code: 'organization_on_hold' })).toBe('auth');
    expect(faultOf({ ...failure, type: 'x', status: 429, code: 'ramp_limit_exceeded' })).toBe('rate_limit');
  });
});
