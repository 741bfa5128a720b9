import { describe, expect, it } from 'vitest';
import { type Answer, type Model, ModelError, type ModelRequest } from '../../harness/model/model.js';
import { type PatientOptions, patientModel, type Wait } from '../../harness/model/patient-model.js';
import { FakeClock } from '../support/fake-clock.js';

const REQUEST: ModelRequest = { model: 'm', maxTokens: 10, system: [], tools: [], messages: [] };
const ANSWER = { stop_reason: 'end_turn' } as Answer;
const HOUR = 3_600_000;
const never = new AbortController().signal;

/** A model that is down until a moment, and tells how long to wait when asked to. */
function downUntil(clock: FakeClock, endMs: number, error: () => ModelError) {
  const sentAt: number[] = [];
  const model: Model = {
    async send() {
      sentAt.push(clock.monotonic());
      if (clock.monotonic() < endMs) throw error();
      return ANSWER;
    },
  };
  return { model, sentAt };
}

function patient(model: Model, clock: FakeClock, more: Partial<PatientOptions> = {}) {
  const begun: Wait[] = [];
  const ended: number[] = [];
  const waiting = patientModel(model, {
    clock,
    random: () => 0.5,
    onWaitBegin: wait => begun.push(wait),
    onWaitEnd: attempts => ended.push(attempts),
    ...more,
  });
  return { waiting, begun, ended };
}

const overloaded = () => new ModelError('overloaded', 'Overloaded', { status: 529 });

describe('patientModel', () => {
  it('passes an answer through without a word', async () => {
    const clock = new FakeClock({ jumps: true });
    const { waiting, begun, ended } = patient(downUntil(clock, 0, overloaded).model, clock);
    expect(await waiting.send(REQUEST, never)).toBe(ANSWER);
    expect([begun, ended, clock.slept]).toEqual([[], [], []]);
  });

  it('waits out 8 hours of outage with at most 60 requests in any hour and is back within 90 s', async () => {
    for (const fault of ['overloaded', 'network'] as const) {
      const clock = new FakeClock({ jumps: true });
      const { model, sentAt } = downUntil(clock, 8 * HOUR, () => new ModelError(fault, 'down'));
      const { waiting, begun, ended } = patient(model, clock, { random: Math.random });
      expect(await waiting.send(REQUEST, never)).toBe(ANSWER);
      for (const from of sentAt) {
        expect(sentAt.filter(at => at >= from && at <= from + HOUR).length).toBeLessThanOrEqual(60);
      }
      expect((sentAt.at(-1) ?? 0) - 8 * HOUR).toBeLessThanOrEqual(90_000);
      expect(begun).toHaveLength(sentAt.length - 1);
      expect(ended).toEqual([sentAt.length - 1]);
    }
  });

  it('comes back within 5 s of an announced end, and sends nothing before (FC-005)', async () => {
    const clock = new FakeClock({ jumps: true });
    const { model, sentAt } = downUntil(
      clock,
      20_000,
      () => new ModelError('rate_limit', 'slow', { status: 429, retryAfterMs: 20_000 }),
    );
    await patient(model, clock).waiting.send(REQUEST, never);
    expect(sentAt).toHaveLength(2);
    expect(sentAt[1]).toBeGreaterThanOrEqual(20_000);
    expect(sentAt[1]).toBeLessThanOrEqual(25_000);
  });

  it('waits an announced 30 days in pieces of an hour and asks again after each', async () => {
    const clock = new FakeClock({ jumps: true });
    const { model } = downUntil(
      clock,
      30 * HOUR,
      () => new ModelError('rate_limit', 'slow', { retryAfterMs: 30 * 24 * HOUR }),
    );
    await patient(model, clock).waiting.send(REQUEST, never);
    expect(clock.slept).toHaveLength(30);
    expect(Math.max(...clock.slept)).toBe(HOUR);
  });

  it.each([0, -1, 1, Number.NaN, 2 ** 31, 1e12, Number.POSITIVE_INFINITY])(
    'is not hurried or stopped by an announcement of %d ms',
    async retryAfterMs => {
      const clock = new FakeClock({ jumps: true });
      const { model, sentAt } = downUntil(
        clock,
        6 * HOUR,
        () => new ModelError('rate_limit', 'slow', { retryAfterMs }),
      );
      await patient(model, clock).waiting.send(REQUEST, never);
      expect(Math.min(...clock.slept)).toBeGreaterThanOrEqual(1_000);
      expect(Math.max(...clock.slept)).toBeLessThanOrEqual(HOUR);
      expect(sentAt.filter(at => at <= HOUR).length).toBeLessThanOrEqual(60);
    },
  );

  it('waits longer each time at the beginning, and never less than half a second (FC-002, FC-004)', async () => {
    const clock = new FakeClock({ jumps: true });
    const { model } = downUntil(clock, 12_000, overloaded);
    await patient(model, clock, { random: Math.random }).waiting.send(REQUEST, never);
    expect(clock.slept[0]).toBeGreaterThanOrEqual(500);
    expect(clock.slept).toEqual([...clock.slept].sort((a, b) => a - b));
  });

  it('tells each wait before it, with what was said and until when', async () => {
    const clock = new FakeClock({ jumps: true });
    const { model } = downUntil(clock, 1, overloaded);
    const { waiting, begun } = patient(model, clock);
    await waiting.send(REQUEST, never);
    expect(begun).toEqual([
      {
        fault: 'overloaded',
        status: 529,
        message: 'Overloaded',
        attempt: 1,
        untilMs: Date.UTC(2026, 0, 1) + 1_500,
      },
    ]);
  });

  it.each(['auth', 'billing', 'model', 'too_long', 'invalid'] as const)(
    'does not wait for %s',
    async fault => {
      const clock = new FakeClock({ jumps: true });
      const error = new ModelError(fault, 'no', { retryAfterMs: 1_000 });
      const { model, sentAt } = downUntil(clock, HOUR, () => error);
      const { waiting, begun } = patient(model, clock);
      await expect(waiting.send(REQUEST, never)).rejects.toBe(error);
      expect(sentAt).toHaveLength(1);
      expect(begun).toEqual([]);
    },
  );

  it('does not wait for an error that is not of the model', async () => {
    const clock = new FakeClock({ jumps: true });
    const bug = new TypeError('a bug');
    const { waiting } = patient({ send: () => Promise.reject(bug) }, clock);
    await expect(waiting.send(REQUEST, never)).rejects.toBe(bug);
  });

  it('ends a wait at once when the signal aborts, with its reason', async () => {
    const clock = new FakeClock();
    const { model, sentAt } = downUntil(clock, HOUR, overloaded);
    const { waiting, ended } = patient(model, clock);
    const stop = new AbortController();
    const call = waiting.send(REQUEST, stop.signal);
    await new Promise(setImmediate);
    expect(clock.slept).toHaveLength(1);
    stop.abort(new Error('Ctrl-C'));
    await expect(call).rejects.toThrow('Ctrl-C');
    expect(sentAt).toHaveLength(1);
    expect(ended).toEqual([]);
  });

  it('begins no wait after the signal has aborted', async () => {
    const clock = new FakeClock({ jumps: true });
    const stop = new AbortController();
    const { waiting, begun } = patient(
      {
        async send() {
          stop.abort(new Error('Ctrl-C'));
          throw overloaded();
        },
      },
      clock,
    );
    await expect(waiting.send(REQUEST, stop.signal)).rejects.toThrow('Ctrl-C');
    expect(begun).toEqual([]);
  });

  it('begins afresh with the next call', async () => {
    const clock = new FakeClock({ jumps: true });
    const { model } = downUntil(clock, 100_000, overloaded);
    const { waiting } = patient(model, clock);
    await waiting.send(REQUEST, never);
    const waits = clock.slept.length;
    await waiting.send(REQUEST, never);
    expect(clock.slept).toHaveLength(waits);
  });

  it('goes on with the wait of an earlier process, but no longer than an hour', async () => {
    for (const [ahead, slept] of [
      [20_000, [20_000]],
      [-5, []],
      [90 * HOUR, [HOUR]],
    ] as const) {
      const clock = new FakeClock({ jumps: true });
      const { waiting, begun } = patient(downUntil(clock, 0, overloaded).model, clock, {
        inherited: { fault: 'rate_limit', message: 'slow down', untilMs: clock.now() + ahead },
      });
      await waiting.send(REQUEST, never);
      await waiting.send(REQUEST, never);
      expect(clock.slept).toEqual(slept);
      expect(begun.map(({ message, attempt }) => [message, attempt])).toEqual(
        slept.map(() => ['slow down', 0]),
      );
    }
  });
});
