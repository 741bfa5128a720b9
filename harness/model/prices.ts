// What tokens cost: a dated table as data, entries of the settings over it, and the dearest price for what it lacks.

import { refuse } from '../base/errors.js';
import type { Usage } from './model.js';
import builtIn from './prices.json' with { type: 'json' };
import { type BilledTokens, billedTokens } from './usage.js';

/** USD per million tokens. */
export type ModelPrice = Record<keyof BilledTokens, number>;

/** As it stands in the table or in settings: cache prices follow from `input` unless they are given. */
export type PriceEntry = Pick<ModelPrice, 'input' | 'output'> & Partial<ModelPrice>;

export interface PriceTable {
  /** Day of the built-in prices, YYYY-MM-DD, and where they were read. */
  readonly date: string;
  readonly source: string;
  /** The price of a model, or the dearest of the table for one that it does not know. */
  priceOf(model: string): ModelPrice;
  /** False when `priceOf` answers with the dearest price. */
  knows(model: string): boolean;
}

/** What may follow a name of the table in a model's id: a date or `latest`. Another number is another model. */
const DATED = /^(?:[-@]\d{8}|-latest)\b/;

/** The built-in prices with `overrides` of the settings over them. */
export function priceTable(overrides: Record<string, PriceEntry> = {}): PriceTable {
  const entries = { ...builtIn.models, ...overrides };
  const prices = new Map(Object.entries(entries).map(([name, entry]) => [name, fullPrice(name, entry)]));
  const longestFirst = [...prices.keys()].sort((a, b) => b.length - a.length);
  const dearest = dearestOf([...prices.values()]);
  const nameOf = (model: string) =>
    longestFirst.find(
      name => model === name || (model.startsWith(name) && DATED.test(model.slice(name.length))),
    );
  return {
    date: builtIn.date,
    source: builtIn.source,
    priceOf: model => prices.get(nameOf(model) ?? '') ?? dearest,
    knows: model => nameOf(model) !== undefined,
  };
}

/** USD of what was reported. */
export function costOf(usage: Partial<Usage> | null | undefined, price: ModelPrice): number {
  const counts = billedTokens(usage);
  return inputCost(counts, price) + outputCost(counts.output, price);
}

/** USD of everything but the answer. */
export function inputCost(counts: BilledTokens, price: ModelPrice): number {
  const { input, cacheWrite5m, cacheWrite1h, cacheRead } = price;
  const perMillion =
    counts.input * input +
    counts.cacheWrite5m * cacheWrite5m +
    counts.cacheWrite1h * cacheWrite1h +
    counts.cacheRead * cacheRead;
  return perMillion / 1e6;
}

export function outputCost(tokens: number, price: ModelPrice): number {
  return (tokens * price.output) / 1e6;
}

/** The most that input may cost: all of it written to the cache, for the default lifetime. */
export function dearestInputCost(tokens: number, price: ModelPrice): number {
  return (tokens * Math.max(price.input, price.cacheWrite5m, price.cacheRead)) / 1e6;
}

function fullPrice(name: string, entry: PriceEntry): ModelPrice {
  const price: ModelPrice = {
    input: entry.input,
    cacheWrite5m: entry.cacheWrite5m ?? entry.input * builtIn.cacheWrite5m,
    cacheWrite1h: entry.cacheWrite1h ?? entry.input * builtIn.cacheWrite1h,
    cacheRead: entry.cacheRead ?? entry.input * builtIn.cacheRead,
    output: entry.output,
  };
  for (const [kind, usd] of Object.entries(price)) {
    if (!(Number.isFinite(usd) && usd >= 0)) {
      throw refuse(`The price of ${name} has no usable "${kind}": give USD per million tokens, 0 or more.`);
    }
  }
  return price;
}

function dearestOf(prices: ModelPrice[]): ModelPrice {
  const most = (kind: keyof ModelPrice) => Math.max(...prices.map(price => price[kind]));
  return {
    input: most('input'),
    cacheWrite5m: most('cacheWrite5m'),
    cacheWrite1h: most('cacheWrite1h'),
    cacheRead: most('cacheRead'),
    output: most('output'),
  };
}
