import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { anthropicModel } from '../../harness/model/anthropic-model.js';
import { BudgetExceeded, budgeted } from '../../harness/model/budgeted-model.js';
import type { Ledger, Reservation, Settlement } from '../../harness/model/ledger.js';
import {
  type Answer,
  type Model,
  ModelError,
  type ModelRequest,
  type PartialCall,
} from '../../harness/model/model.js';
import { patientModel } from '../../harness/model/patient-model.js';
import { priceTable } from '../../harness/model/prices.js';
import { FakeClock } from '../support/fake-clock.js';
import { HONEST_ENDS, honestApi } from '../support/honest-api.js';
import { caseStream, rawApi } from '../support/raw-api.js';

const never = new AbortController().signal;
const prices = priceTable();
/** 5 USD for a million input tokens, 6.25 written to the cache, 25 for output. */
const OPUS = 'claude-opus-4-6';

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: OPUS,
    maxTokens: 8_192,
    system: [],
    tools: [],
    messages: [{ role: 'user', content: 'Feature: F-001' }],
    ...more,
  };
}

class TestLedger implements Ledger {
  readonly reserved: Reservation[] = [];
  readonly settled: (Settlement & { call: string })[] = [];
  /** Sum of all that is settled or still open, at each change. */
  readonly totals: number[] = [];
  readonly #open = new Map<string, number>();
  #spent = 0;

  constructor(readonly capUsd = Number.POSITIVE_INFINITY) {}

  remainingUsd(): number {
    return this.capUsd - this.#total();
  }
  reserve(reservation: Reservation): string {
    const call = `c${this.reserved.push(reservation)}`;
    this.#open.set(call, reservation.usd);
    this.totals.push(this.#total());
    return call;
  }
  settle(call: string, settlement: Settlement): void {
    if (!this.#open.delete(call)) throw new Error(`${call} is not open`);
    this.#spent += settlement.usd;
    this.settled.push({ call, ...settlement });
    this.totals.push(this.#total());
  }
  get openCalls(): number {
    return this.#open.size;
  }
  #total(): number {
    return this.#spent + [...this.#open.values()].reduce((sum, usd) => sum + usd, 0);
  }
}

function answering(usage: object): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async send(sent) {
      requests.push(sent);
      return { content: [], stop_reason: 'end_turn', usage } as unknown as Answer;
    },
  };
}

const failing = (error: unknown): Model => ({ send: () => Promise.reject(error) });

describe('a call that is answered', () => {
  it('is reserved before it is sent and settled by what was reported', async () => {
    const ledger = new TestLedger(10);
    const usage = { input_tokens: 1000, cache_read_input_tokens: 2000, output_tokens: 100 };
    let openWhileSent = 0;
    const inner = answering(usage);
    const model = budgeted(
      {
        send: (sent, signal) => {
          openWhileSent = ledger.openCalls;
          return inner.send(sent, signal);
        },
      },
      ledger,
      { prices },
    );
    await model.send(request(), never);
    expect(openWhileSent).toBe(1);
    expect(ledger.reserved[0]).toMatchObject({ model: OPUS, maxTokens: 8192 });
    expect(ledger.settled[0]).toMatchObject({
      estimated: false,
      tokens: { input: 1000, cacheRead: 2000, cacheWrite: 0, output: 100 },
    });
    expect(ledger.settled[0]?.usd).toBeCloseTo((1000 * 5 + 2000 * 0.5 + 100 * 25) / 1e6, 12);
  });

  it('reserves input at the price of a cache write and the longest answer', async () => {
    const ledger = new TestLedger(10);
    await budgeted(answering({ input_tokens: 1, output_tokens: 1 }), ledger, { prices }).send(
      request(),
      never,
    );
    const { usd, inputTokens, maxTokens } = ledger.reserved[0] as Reservation;
    expect(usd).toBeCloseTo((inputTokens * 6.25 + maxTokens * 25) / 1e6, 12);
  });

  it('reserves the next call by what the last one reported', async () => {
    const ledger = new TestLedger(10);
    const model = budgeted(answering({ input_tokens: 7, output_tokens: 1 }), ledger, { prices });
    await model.send(request(), never);
    await model.send(request(), never);
    expect(ledger.reserved[0]?.inputTokens).toBeGreaterThan(1_000);
    expect(ledger.reserved[1]?.inputTokens).toBeLessThan(20);
  });

  it.each([
    {},
    { input_tokens: 0, output_tokens: 0 },
    { input_tokens: -5, output_tokens: Number.NaN },
    { input_tokens: null },
    null,
  ])('costs what was reserved when its usage is %j', async usage => {
    const ledger = new TestLedger(10);
    await budgeted(answering(usage as object), ledger, { prices }).send(request(), never);
    expect(ledger.settled[0]?.usd).toBeCloseTo(ledger.reserved[0]?.usd ?? Number.NaN, 12);
    expect(ledger.settled[0]?.estimated).toBe(true);
  });

  it('costs what it cost, also when that is more than was reserved', async () => {
    const ledger = new TestLedger(1);
    const model = budgeted(answering({ input_tokens: 1_000_000, output_tokens: 10 }), ledger, { prices });
    await model.send(request(), never);
    expect(ledger.settled[0]?.usd).toBeGreaterThan(5);
    await expect(model.send(request(), never)).rejects.toThrow(BudgetExceeded);
  });

  it('counts cache writes: the run stops at the cap, not twenty times over it (FC-112)', async () => {
    const api = await rawApi(caseStream('FC-112-cache-usage.sse'));
    const ledger = new TestLedger(2);
    const client = anthropicModel({ apiKey: 'k', baseUrl: api.url, clock: systemClock });
    const model = budgeted(client, ledger, { prices });
    const long = request({ messages: [{ role: 'user', content: 'x'.repeat(109_100) }], maxTokens: 4096 });
    await expect(
      (async () => {
        for (;;) await model.send(long, never);
      })(),
    ).rejects.toThrow(BudgetExceeded);
    for (const { usd } of ledger.settled)
      expect(usd).toBeCloseTo((3 * 5 + 109_075 * 6.25 + 81 * 25) / 1e6, 9);
    expect(ledger.settled).toHaveLength(2);
    expect(Math.max(...ledger.totals)).toBeLessThanOrEqual(2);
  });

  it('counts the last of several running totals (FC-113)', async () => {
    const api = await rawApi(caseStream('FC-113-two-deltas-cumulative.sse'));
    const ledger = new TestLedger();
    const client = anthropicModel({ apiKey: 'k', baseUrl: api.url, clock: systemClock });
    await budgeted(client, ledger, { prices }).send(request(), never);
    expect(ledger.settled[0]?.tokens).toMatchObject({ input: 1000, output: 500 });
    expect(ledger.settled[0]?.usd).toBeCloseTo((1000 * 5 + 500 * 25) / 1e6, 12);
  });
});

describe('a call that fails', () => {
  const inputUsd = (ledger: TestLedger) => ((ledger.reserved[0]?.inputTokens ?? 0) * 6.25) / 1e6;

  it('costs nothing when it was refused or never connected', async () => {
    const ledger = new TestLedger(10);
    const error = new ModelError('overloaded', 'Overloaded', { status: 529 });
    await expect(budgeted(failing(error), ledger, { prices }).send(request(), never)).rejects.toBe(error);
    expect(ledger.settled).toMatchObject([{ usd: 0, tokens: null, usage: null, estimated: false }]);
  });

  it('costs the bounded input when it was lost after sending', async () => {
    const ledger = new TestLedger(10);
    const error = new ModelError('network', 'reset', { billable: true });
    await expect(budgeted(failing(error), ledger, { prices }).send(request(), never)).rejects.toBe(error);
    expect(ledger.settled[0]).toMatchObject({ tokens: null, estimated: true });
    expect(ledger.settled[0]?.usd).toBeCloseTo(inputUsd(ledger), 12);
  });

  it('costs the reported input and what arrived, or what was reported if that is more', async () => {
    for (const [receivedBytes, output] of [
      [60, 60],
      [3, 9],
      [1_000_000, 8_192],
    ] as const) {
      const ledger = new TestLedger(10);
      const error = new ModelError('network', 'cut', {
        billable: true,
        receivedBytes,
        usage: { input_tokens: 1000, output_tokens: 9 },
      });
      await expect(budgeted(failing(error), ledger, { prices }).send(request(), never)).rejects.toBe(error);
      expect(ledger.settled[0]?.usd).toBeCloseTo((1000 * 5 + output * 25) / 1e6, 12);
      expect(ledger.settled[0]?.estimated).toBe(true);
    }
  });

  it('three times after a costly start costs three times that input (FC-118)', async () => {
    const cut = caseStream('FC-118-cut-after-costly-start.sse');
    const api = await rawApi(cut, cut, cut, caseStream('FC-000-ok-end-turn.sse'));
    const ledger = new TestLedger();
    const client = anthropicModel({ apiKey: 'k', baseUrl: api.url, clock: systemClock });
    const waits: string[] = [];
    const model = patientModel(budgeted(client, ledger, { prices }), {
      clock: new FakeClock({ jumps: true }),
      random: () => 0,
      onWaitBegin: wait => waits.push(wait.fault),
    });
    await model.send(request(), never);
    expect(ledger.settled.map(({ tokens }) => tokens?.input)).toEqual([180_000, 180_000, 180_000, 950]);
    expect(ledger.settled.map(({ estimated }) => estimated)).toEqual([true, true, true, false]);
    expect(ledger.settled[0]?.usd).toBeGreaterThanOrEqual((180_000 * 5) / 1e6);
    expect(waits).toEqual(['network', 'network', 'network']);
    // What the broken answers told of their input is the bound of the next try.
    expect(ledger.reserved[1]?.inputTokens).toBe(180_000 + '[]'.length);
  });

  it('by the signal costs what the client tells of it, and the caller gets the reason', async () => {
    const ledger = new TestLedger(10);
    const told: PartialCall[] = [];
    const stop = new AbortController();
    const model: Model = {
      async send(_, signal, onAborted) {
        stop.abort(new Error('Ctrl-C'));
        onAborted?.({ usage: { input_tokens: 1000, output_tokens: 1 }, receivedBytes: 50, billable: true });
        throw signal.reason;
      },
    };
    const call = budgeted(model, ledger, { prices }).send(request(), stop.signal, partial =>
      told.push(partial),
    );
    await expect(call).rejects.toThrow('Ctrl-C');
    expect(ledger.settled[0]?.usd).toBeCloseTo((1000 * 5 + 50 * 25) / 1e6, 12);
    expect(told).toHaveLength(1);
  });

  it('by an error that says nothing costs the bounded input', async () => {
    const ledger = new TestLedger(10);
    await expect(
      budgeted(failing(new Error('?')), ledger, { prices }).send(request(), never),
    ).rejects.toThrow('?');
    expect(ledger.settled[0]?.usd).toBeCloseTo(inputUsd(ledger), 12);
  });

  it('before it began reserves nothing', async () => {
    const ledger = new TestLedger(10);
    const model = budgeted(answering({}), ledger, { prices });
    await expect(model.send(request(), AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
    expect(ledger.reserved).toEqual([]);
  });

  it('inside a nested budget costs the outer one nothing when the inner one refused it', async () => {
    const [outer, inner] = [new TestLedger(10), new TestLedger(0.001)];
    const sent = answering({ input_tokens: 1, output_tokens: 1 });
    const model = budgeted(budgeted(sent, inner, { prices }), outer, { prices });
    await expect(model.send(request(), never)).rejects.toThrow(BudgetExceeded);
    expect(outer.settled).toMatchObject([{ usd: 0 }]);
    expect(sent.requests).toEqual([]);
  });
});

describe('a call that does not fit', () => {
  it('asks for a shorter answer when the rest affords at least 4,096 tokens', async () => {
    const ledger = new TestLedger(0.15);
    const model = answering({ input_tokens: 100, output_tokens: 10 });
    await budgeted(model, ledger, { prices }).send(request(), never);
    const { maxTokens } = model.requests[0] as ModelRequest;
    expect(maxTokens).toBeLessThan(8_192);
    expect(maxTokens).toBeGreaterThanOrEqual(4_096);
    expect(ledger.reserved[0]?.usd).toBeLessThanOrEqual(0.15);
    expect(ledger.reserved[0]?.usd).toBeGreaterThan(0.1499);
  });

  it('is not sent when the rest affords less, and says what it needs', async () => {
    const ledger = new TestLedger(0.1);
    const model = answering({ input_tokens: 100, output_tokens: 10 });
    const error = await budgeted(model, ledger, { prices })
      .send(request(), never)
      .catch(reason => reason);
    expect(error).toBeInstanceOf(BudgetExceeded);
    expect(error.remainingUsd).toBe(0.1);
    expect(error.needUsd).toBeGreaterThan((4096 * 25) / 1e6);
    expect(error.message).toMatch(/^The next call may cost \$0\.109\d and \$0\.1000 is left\.$/);
    expect(model.requests).toEqual([]);
    expect(ledger.reserved).toEqual([]);
  });

  it('does not stretch an answer that was asked to be shorter than the floor', async () => {
    const model = answering({ input_tokens: 100, output_tokens: 10 });
    await budgeted(model, new TestLedger(0.05), { prices }).send(request({ maxTokens: 1_000 }), never);
    expect(model.requests[0]?.maxTokens).toBe(1_000);
  });

  it('has its tokens counted first, once, and only then', async () => {
    const counts: ModelRequest[] = [];
    const countTokens = async (counted: ModelRequest) => {
      counts.push(counted);
      return 2_000;
    };
    const long = request({ messages: [{ role: 'user', content: 'x'.repeat(40_000) }] });
    const rich = new TestLedger(10);
    await budgeted(answering({}), rich, { prices, countTokens }).send(long, never);
    expect(counts).toEqual([]);
    const poor = new TestLedger(0.25);
    const model = answering({ input_tokens: 2_000, output_tokens: 10 });
    await budgeted(model, poor, { prices, countTokens }).send(long, never);
    expect(counts).toEqual([long]);
    expect(model.requests[0]?.maxTokens).toBe(8_192);
    expect(poor.reserved[0]?.inputTokens).toBeGreaterThan(2_000);
    expect(poor.reserved[0]?.inputTokens).toBeLessThan(2_200);
  });

  it.each<[string, () => Promise<number>]>([
    ['fails', () => Promise.reject(new ModelError('overloaded', 'no'))],
    ['is nonsense', () => Promise.resolve(Number.NaN)],
    ['is larger than the bytes', () => Promise.resolve(1e9)],
  ])('goes by the bytes when the count %s', async (_, countTokens) => {
    const ledger = new TestLedger(0.15);
    await budgeted(answering({ input_tokens: 1, output_tokens: 1 }), ledger, { prices, countTokens }).send(
      request(),
      never,
    );
    expect(ledger.reserved[0]?.inputTokens).toBeLessThan(1_200);
  });

  it('is never sent once the spend has reached the budget (FC-115)', async () => {
    const ledger = new TestLedger(1);
    const model = answering({ input_tokens: 70_000, output_tokens: 2_000 });
    const guarded = budgeted(model, ledger, { prices });
    for (let turn = 0; turn < 5; turn++) await guarded.send(request(), never).catch(() => {});
    expect(model.requests.length).toBe(2);
    expect(Math.max(...ledger.totals)).toBeLessThanOrEqual(1);
  });
});

describe('the sum of all that is settled and all that is reserved', () => {
  const price = fc.double({ min: 0, max: 100, noNaN: true });
  const dearest = fc.oneof(fc.constant(100), price);
  const entry = fc.record({ input: price, output: price, cacheWrite5m: dearest, cacheRead: price });
  /** Often the worst, so that bounds are reached. */
  const share = fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));
  const turn = fc.record({
    text: fc.string({ unit: 'grapheme', maxLength: 3_000 }),
    maxTokens: fc.integer({ min: 1, max: 64_000 }),
    /** How much of the input is written to the cache; how much of the longest answer is used. */
    written: share,
    length: share,
    end: fc.constantFrom('answer', 'answer', ...HONEST_ENDS),
    /** Begins at the same time as the next turn. */
    beside: fc.boolean(),
    condensed: fc.boolean(),
  });

  it('never exceeds the cap, whatever the prices, the calls and their failures', async () => {
    await fc.assert(
      fc.asyncProperty(
        entry,
        fc.array(turn, { minLength: 1, maxLength: 25 }),
        fc.double({ min: 0, max: 10, noNaN: true }),
        share,
        fc.boolean(),
        async (prices, turns, capUsd, tokensPerByte, counting) => {
          const ledger = new TestLedger(capUsd);
          const api = honestApi(tokensPerByte);
          const options = {
            prices: priceTable({ m: prices }),
            countTokens: counting ? api.count : undefined,
          };
          const conversations = [
            budgeted(api.model, ledger, options),
            budgeted(api.model, ledger, options),
          ] as const;
          let messages: ModelRequest['messages'] = [];
          const calls: Promise<void>[] = [];
          for (const one of turns) {
            if (one.condensed) messages = [];
            messages = [...messages, { role: 'user', content: one.text }];
            const sent = request({ model: 'm', maxTokens: one.maxTokens, messages });
            api.play(sent, one);
            const stop = new AbortController();
            api.onAbort(sent, () => stop.abort(new Error('stop')));
            const call = conversations[one.beside ? 1 : 0].send(sent, stop.signal).then(
              answer => {
                messages = [...messages, { role: 'assistant', content: answer.content }];
              },
              () => {},
            );
            calls.push(call);
            if (!one.beside) await call;
          }
          await Promise.all(calls);
          for (const total of ledger.totals) expect(total).toBeLessThanOrEqual(capUsd * (1 + 1e-9) + 1e-9);
          expect(ledger.openCalls).toBe(0);
          expect(ledger.settled).toHaveLength(ledger.reserved.length);
        },
      ),
      { numRuns: 400 },
    );
  });
});
