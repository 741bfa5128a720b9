import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LiveJournal } from '../../harness/journal/live-journal.js';
import type { JournalRecord } from '../../harness/journal/records.js';
import { reduce } from '../../harness/journal/reduce.js';
import { BudgetExceeded, budgeted } from '../../harness/model/budgeted-model.js';
import type { Model, ModelRequest } from '../../harness/model/model.js';
import { costOf, type PriceTable, priceTable } from '../../harness/model/prices.js';
import { spendLedger } from '../../harness/runner/spend-ledger.js';
import { HONEST_ENDS, honestApi } from '../support/honest-api.js';
import { MemoryJournal } from '../support/memory-journal.js';

const never = new AbortController().signal;
/** Often the worst, so that bounds are reached. */
const share = fc.oneof(fc.constant(1), upTo(1));
const price = fc.oneof(fc.constant(90), upTo(90));

/** Numbers with few digits: quick to make, and as good as any. */
function upTo(most: number): fc.Arbitrary<number> {
  return fc.integer({ min: 0, max: 997 }).map(n => (n / 997) * most);
}

/** A process as it starts: a person may have named another cap, a table other prices, a setting another model. */
const start = fc.record({
  kind: fc.constant('start' as const),
  capUsd: fc.oneof(upTo(2), upTo(20)),
  model: fc.constantFrom('m', 'n', 'a-model-without-a-price'),
  m: fc.record({ input: price, output: price, cacheWrite5m: price, cacheRead: price }),
  n: fc.record({ input: price, output: price }),
  counting: fc.boolean(),
});
const call = fc.record({
  kind: fc.constant('call' as const),
  bytes: fc.integer({ min: 0, max: 6_000 }),
  maxTokens: fc.integer({ min: 1, max: 64_000 }),
  written: share,
  length: share,
  end: fc.constantFrom('answer', 'answer', ...HONEST_ENDS),
  /** Of the two conversations of the session. */
  beside: fc.boolean(),
  /** The next step does not wait for it. */
  leaves: fc.boolean(),
  /** Where the process is killed. */
  killed: fc.constantFrom(
    ...[null, null, null, null],
    ...([
      'before the reservation',
      'after the reservation',
      'while sent',
      'before the settlement',
      'after the settlement',
    ] as const),
  ),
});
const session = fc.record({ kind: fc.constant('session' as const) });
const schedule = fc.array(
  fc.oneof(
    { arbitrary: call, weight: 6 },
    { arbitrary: start, weight: 2 },
    { arbitrary: session, weight: 1 },
  ),
  { minLength: 1, maxLength: 10 },
);
type Step<K> = Extract<typeof schedule extends fc.Arbitrary<(infer T)[]> ? T : never, { kind: K }>;
type Start = Step<'start'>;
type Call = Step<'call'>;

/** A run over any number of processes, with what the API really billed beside what the journal says. */
class Run {
  readonly disk: JournalRecord[] = [];
  billedUsd = 0;
  /** Calls that did not fit. */
  refused = 0;
  /** By how much a reservation went over the cap in force. */
  overdrawnUsd = 0;
  /** The highest cap that was ever in force. */
  mostUsd = 0;
  #capUsd = 0;
  #file = new MemoryJournal(this.disk);
  #journal = new LiveJournal(this.#file);
  #start: Start;
  #prices: PriceTable = priceTable();
  #session = 0;
  #conversations: [Model, Model] | undefined;
  #messages: ModelRequest['messages'] = [];
  #api = honestApi(1);
  readonly #tokensPerByte: number;

  constructor(first: Start, tokensPerByte: number) {
    this.#start = first;
    this.#tokensPerByte = tokensPerByte;
    this.start(first);
  }

  start(start: Start): void {
    this.#file.die();
    this.#start = start;
    this.#capUsd = start.capUsd;
    this.mostUsd = Math.max(this.mostUsd, start.capUsd);
    const prices = priceTable({ m: start.m, n: start.n });
    this.#prices = prices;
    // What an earlier process sent is billed by the prices of that time.
    this.#api = honestApi(this.#tokensPerByte, (sent, usage) => {
      this.billedUsd += costOf(usage, prices.priceOf(sent.model));
    });
    this.#file = new MemoryJournal(this.disk);
    this.#journal = new LiveJournal(this.#file);
    this.#journal.append({
      type: 'process.begin',
      pid: 1,
      model: start.model,
      budgetUsd: start.capUsd,
      settings: {},
      walls: 'none',
      simulated: false,
    });
    this.#journal.onRecord = record => {
      if (record.type === 'spend.reserve') this.#mustFit(this.#capUsd);
    };
    this.openSession();
  }

  openSession(): void {
    const ledger = spendLedger(this.#journal, ++this.#session, this.#capUsd);
    const options = { prices: this.#prices, countTokens: this.#start.counting ? this.#api.count : undefined };
    // A model of the same API for each, as for a session and what it starts beside it.
    this.#conversations = [
      budgeted(this.#api.model, ledger, options),
      budgeted(this.#api.model, ledger, options),
    ];
    this.#messages = [];
  }

  async call(call: Call): Promise<void> {
    this.#messages = [...this.#messages, { role: 'user', content: 'x'.repeat(call.bytes) }];
    const { model } = this.#start;
    const request = { model, maxTokens: call.maxTokens, system: [], tools: [], messages: this.#messages };
    const stop = new AbortController();
    this.#api.play(request, call);
    this.#api.onAbort(request, () => stop.abort(new Error('stop')));
    const file = this.#file;
    if (call.killed === 'before the reservation') file.diesAt = { type: 'spend.reserve', when: 'before' };
    if (call.killed === 'after the reservation') file.diesAt = { type: 'spend.reserve', when: 'after' };
    if (call.killed === 'before the settlement') file.diesAt = { type: 'spend.settle', when: 'before' };
    if (call.killed === 'after the settlement') file.diesAt = { type: 'spend.settle', when: 'after' };
    const signal = call.end === 'aborted' ? stop.signal : never;
    const sent = this.#conversations?.[call.beside ? 1 : 0].send(request, signal);
    const over = sent?.then(
      ({ content }) => {
        if (file === this.#file) this.#messages = [...this.#messages, { role: 'assistant', content }];
      },
      error => {
        if (error instanceof BudgetExceeded) this.refused++;
      },
    );
    if (call.killed === 'while sent') this.start(this.#start);
    if (!call.leaves) await over;
    if (call.killed !== null) {
      await over;
      this.start(this.#start);
    }
  }

  /** At no time may more be counted than the cap, nor less than was billed. */
  check(): void {
    const { spentUsd } = this.#journal.state;
    expect(spentUsd).toBeLessThanOrEqual(limit(this.mostUsd));
    expect(this.overdrawnUsd).toBe(0);
    expect(this.billedUsd).toBeLessThanOrEqual(limit(spentUsd));
    expect(reduce(this.disk).spentUsd).toBeCloseTo(spentUsd, 9);
  }

  #mustFit(capUsd: number): void {
    const { spentUsd } = this.#journal.state;
    if (spentUsd > limit(capUsd)) this.overdrawnUsd = spentUsd - capUsd;
  }
}

/** Sums of floats may differ in their last digits. */
const limit = (usd: number) => usd * (1 + 1e-9) + 1e-9;

describe('what a run spends', () => {
  it('is never above the cap in force, in ten thousand schedules of calls, kills, partial streams and changes of prices and caps', async () => {
    let [reserved, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(start, share, schedule, async (first, tokensPerByte, steps) => {
        const run = new Run(first, tokensPerByte);
        for (const step of steps) {
          if (step.kind === 'call') await run.call(step);
          else if (step.kind === 'start') run.start(step);
          else run.openSession();
        }
        await new Promise(setImmediate);
        run.check();

        refused += run.refused;
        reserved += run.disk.filter(({ type }) => type === 'spend.reserve').length;
      }),
      { numRuns: 10_000 },
    );
    // The cap is in reach, and most calls stay below it.
    expect(refused).toBeGreaterThan(2_000);
    expect(reserved).toBeGreaterThan(10_000);
  });
});
