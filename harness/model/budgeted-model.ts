// Keeps calls under a cap: the worst case is reserved before each one, what it cost is settled after it.

import { inputBound, type Reported, reportedBy, reportedByStart } from './input-bound.js';
import type { Ledger, Settlement } from './ledger.js';
import { type Answer, type Model, ModelError, type ModelRequest, type PartialCall } from './model.js';
import { dearestInputCost, inputCost, type ModelPrice, outputCost, type PriceTable } from './prices.js';
import { billedTokens, inputTokens, tokenCounts } from './usage.js';

export interface BudgetOptions {
  prices: PriceTable;
  /** Counts input tokens free of charge; asked only when the bound does not fit. */
  countTokens?: ((request: ModelRequest, signal: AbortSignal) => Promise<number>) | undefined;
}

/** The next call does not fit under the cap, not even with a short answer. Nothing was sent. */
export class BudgetExceeded extends Error {
  /** What the call may cost with the shortest answer that is worth asking for. */
  readonly needUsd: number;
  readonly remainingUsd: number;

  constructor(needUsd: number, remainingUsd: number) {
    super(
      `The next call may cost $${needUsd.toFixed(4)} and $${Math.max(remainingUsd, 0).toFixed(4)} is left.`,
    );
    this.name = 'BudgetExceeded';
    this.needUsd = needUsd;
    this.remainingUsd = remainingUsd;
  }
}

/** `max_tokens` is lowered to what the rest affords, but not below this: shorter answers are cut too often. */
const SHORTEST_ANSWER = 4_096;

interface Bound {
  inputTokens: number;
  maxTokens: number;
  usd: number;
}

/** `model` under the cap of `ledger`, for one conversation: it remembers what the API reported of it last. */
export function budgeted(model: Model, ledger: Ledger, options: BudgetOptions): Model {
  let previous: Reported | undefined;

  return {
    async send(request, signal, onAborted) {
      signal.throwIfAborted();
      const price = options.prices.priceOf(request.model);
      const input = await tightestInput(inputBound(previous, request), request, signal);
      // From here to the reservation nothing is awaited, so that calls side by side cannot take the same rest.
      const bound = fitUnder(input, request.maxTokens, price, ledger.remainingUsd());
      const call = ledger.reserve({ ...bound, model: request.model });
      let partial: PartialCall | undefined;
      const noteAbort = (known: PartialCall) => {
        partial = known;
        onAborted?.(known);
      };
      let answer: Answer;
      try {
        answer = await model.send({ ...request, maxTokens: bound.maxTokens }, signal, noteAbort);
      } catch (error) {
        const known = partial ?? whatIsKnown(error);
        ledger.settle(call, known.billable ? costOfPart(known, bound, price) : NOTHING);
        previous = reportedByStart(request, known.usage) ?? previous;
        throw error;
      }
      ledger.settle(call, costOfAnswer(answer, bound, price));
      previous = reportedBy(request, answer);
      return answer;
    },
  };

  async function tightestInput(bound: number, request: ModelRequest, signal: AbortSignal): Promise<number> {
    const price = options.prices.priceOf(request.model);
    const fits = costOfBound(bound, request.maxTokens, price) <= ledger.remainingUsd();
    if (fits || !options.countTokens) return bound;
    const counted = await options.countTokens(request, signal).catch(() => bound);
    signal.throwIfAborted();
    return Math.min(bound, withMargin(counted));
  }
}

/** The call as it may be made with `remainingUsd`, or `BudgetExceeded`. */
export function fitUnder(input: number, maxTokens: number, price: ModelPrice, remainingUsd: number): Bound {
  const floor = Math.min(SHORTEST_ANSWER, maxTokens);
  for (const tokens of [maxTokens, affordable(input, price, remainingUsd)]) {
    const usd = costOfBound(input, tokens, price);
    if (tokens <= maxTokens && tokens >= floor && usd <= remainingUsd) {
      return { inputTokens: input, maxTokens: tokens, usd };
    }
  }
  throw new BudgetExceeded(costOfBound(input, floor, price), remainingUsd);
}

function affordable(input: number, price: ModelPrice, remainingUsd: number): number {
  const perToken = outputCost(1, price);
  return Math.floor((remainingUsd - dearestInputCost(input, price)) / perToken - 1e-6);
}

function costOfBound(input: number, maxTokens: number, price: ModelPrice): number {
  return dearestInputCost(input, price) + outputCost(maxTokens, price);
}

/** The API calls its count an estimate that may be off by a little. */
function withMargin(counted: number): number {
  return Number.isFinite(counted) && counted > 0 ? Math.ceil(counted * 1.02) + 100 : Number.POSITIVE_INFINITY;
}

const NOTHING: Settlement = { usd: 0, tokens: null, usage: null, estimated: false };

/** What the error of a call says about its cost. One that is not the model's own may have come at any time. */
function whatIsKnown(error: unknown): PartialCall {
  if (error instanceof ModelError) return error;
  return { usage: undefined, receivedBytes: 0, billable: !(error instanceof BudgetExceeded) };
}

/** By what was reported; a side that was not reported costs what was reserved for it. */
function costOfAnswer({ usage }: Answer, bound: Bound, price: ModelPrice): Settlement {
  const billed = billedTokens(usage);
  const inputKnown = inputTokens(usage) > 0;
  const outputKnown = billed.output > 0;
  const usd =
    (inputKnown ? inputCost(billed, price) : dearestInputCost(bound.inputTokens, price)) +
    outputCost(outputKnown ? billed.output : bound.maxTokens, price);
  return { usd, tokens: tokenCounts(usage), usage, estimated: !(inputKnown && outputKnown) };
}

/** An answer that broke off: input as reported or as bounded, output as reported or as much as arrived. */
function costOfPart({ usage, receivedBytes }: PartialCall, bound: Bound, price: ModelPrice): Settlement {
  const billed = billedTokens(usage);
  const input =
    inputTokens(usage) > 0 ? inputCost(billed, price) : dearestInputCost(bound.inputTokens, price);
  // More bytes than `maxTokens` may have arrived, but not more tokens.
  const output = Math.max(billed.output, Math.min(receivedBytes, bound.maxTokens));
  return {
    usd: input + outputCost(output, price),
    tokens: usage ? tokenCounts(usage) : null,
    usage: usage ?? null,
    estimated: true,
  };
}
