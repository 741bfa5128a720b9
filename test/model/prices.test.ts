import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../harness/model/model.js';
import { costOf, dearestInputCost, priceTable } from '../../harness/model/prices.js';
import { contextTokens, inputTokens, mergeUsage, tokenCounts } from '../../harness/model/usage.js';

const table = priceTable();

describe('priceTable', () => {
  it.each([
    ['claude-opus-4-5-20251101', 5, 25],
    ['claude-opus-4-6', 5, 25],
    ['claude-opus-4-1-20250805', 15, 75],
    ['claude-opus-4-20250514', 15, 75],
    ['claude-sonnet-4-20250514', 3, 15],
    ['claude-sonnet-4-5@20250929', 3, 15],
    ['claude-haiku-4-5', 1, 5],
    ['claude-3-5-haiku-latest', 0.8, 4],
  ])('knows %s', (model, input, output) => {
    expect(table.knows(model)).toBe(true);
    expect(table.priceOf(model)).toMatchObject({ input, output });
  });

  it.each(['some-proxy-model-x', 'claude-sonnet-4-9', 'claude-opus-4-5-fast', 'claude', ''])(
    'prices %j as the dearest (FC-116)',
    model => {
      expect(table.knows(model)).toBe(false);
      expect(table.priceOf(model)).toEqual({
        input: 15,
        cacheWrite5m: 18.75,
        cacheWrite1h: 30,
        cacheRead: 1.5,
        output: 75,
      });
    },
  );

  it('takes entries of the settings over its own, with cache prices that follow or are given', () => {
    const own = priceTable({
      'claude-opus-4-6': { input: 4, output: 20 },
      'my-model': { input: 2, output: 100, cacheRead: 0.02 },
    });
    expect(own.priceOf('claude-opus-4-6')).toMatchObject({ input: 4, cacheWrite5m: 5, cacheWrite1h: 8 });
    expect(own.priceOf('my-model').cacheRead).toBe(0.02);
    expect(own.priceOf('unknown').output).toBe(100);
  });

  it('refuses prices that are none', () => {
    for (const input of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => priceTable({ x: { input, output: 1 } })).toThrow('The price of x has no usable "input"');
    }
  });

  it('says of which day it is and where it was read', () => {
    expect(table.date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(table.source).toMatch(/^https:/);
  });
});

describe('costOf', () => {
  const sonnet = table.priceOf('claude-sonnet-4-5');

  it('counts cache writes and reads (FC-112)', () => {
    const usage = {
      input_tokens: 3,
      cache_creation_input_tokens: 109_075,
      cache_read_input_tokens: 0,
      output_tokens: 81,
    };
    expect(costOf(usage, sonnet)).toBeCloseTo((3 * 3 + 109_075 * 3.75 + 81 * 15) / 1e6, 10);
  });

  it('prices writes by their lifetime, and what the split leaves open as short', () => {
    const usage = {
      cache_creation_input_tokens: 1000,
      cache_creation: { ephemeral_1h_input_tokens: 600, ephemeral_5m_input_tokens: 100 },
    };
    expect(costOf(usage, sonnet)).toBeCloseTo((600 * 6 + 400 * 3.75) / 1e6, 10);
  });

  it('is never NaN, never negative, and never less than what was reported', () => {
    const wild = fc.oneof(fc.anything(), fc.double(), fc.integer(), fc.constantFrom(null, undefined));
    const usage = fc.record({
      input_tokens: wild,
      output_tokens: wild,
      cache_creation_input_tokens: wild,
      cache_read_input_tokens: wild,
      cache_creation: fc.oneof(
        wild,
        fc.record({ ephemeral_1h_input_tokens: wild, ephemeral_5m_input_tokens: wild }),
      ),
    });
    const sane = (value: unknown) =>
      typeof value === 'number' && Number.isFinite(value) && value > 0
        ? Math.min(value, Number.MAX_SAFE_INTEGER)
        : 0;
    fc.assert(
      fc.property(usage, reported => {
        const usd = costOf(reported as unknown as Usage, sonnet);
        expect(Number.isFinite(usd)).toBe(true);
        const least =
          (sane(reported.input_tokens) * 3 +
            sane(reported.cache_creation_input_tokens) * 3.75 +
            sane(reported.cache_read_input_tokens) * 0.3 +
            sane(reported.output_tokens) * 15) /
          1e6;
        expect(usd).toBeGreaterThanOrEqual(least * (1 - 1e-12));
      }),
    );
  });

  it('of nothing is nothing', () => {
    expect(costOf(null, sonnet)).toBe(0);
    expect(costOf(undefined, sonnet)).toBe(0);
  });

  it('of input is at most what the dearest kind costs', () => {
    expect(dearestInputCost(1e6, sonnet)).toBe(3.75);
  });
});

describe('mergeUsage', () => {
  it('lets the last total win and keeps what a later report lacks, nulls or gives as zero', () => {
    const start = { input_tokens: 180_000, cache_read_input_tokens: 50, output_tokens: 1 };
    const merged = mergeUsage(start, {
      input_tokens: 0,
      cache_read_input_tokens: null,
      output_tokens: 120,
      thinking: 3,
    });
    expect(merged).toMatchObject({ input_tokens: 180_000, cache_read_input_tokens: 50, output_tokens: 120 });
    expect(mergeUsage(merged, { output_tokens: 500 }).output_tokens).toBe(500);
  });

  it('takes anything', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (a, b) => {
        const merged = mergeUsage(mergeUsage(undefined, a), b);
        expect(Number.isFinite(contextTokens(merged))).toBe(true);
      }),
    );
  });
});

describe('token counts', () => {
  it('add up all that was sent and all that was said', () => {
    const usage = {
      input_tokens: 1,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 300,
      output_tokens: 4000,
    };
    expect(tokenCounts(usage)).toEqual({ input: 1, cacheWrite: 20, cacheRead: 300, output: 4000 });
    expect(inputTokens(usage)).toBe(321);
    expect(contextTokens(usage)).toBe(4321);
  });
});
