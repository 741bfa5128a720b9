import { expect, it } from 'vitest';
import { capLedger } from '../../harness/model/cap-ledger.js';

const reservation = (usd: number) => ({ usd, model: 'm', inputTokens: 1, maxTokens: 1 });
const settlement = (usd: number) => ({ usd, tokens: null, usage: null, estimated: false });

it('a reservation counts from the moment it is made, so that calls side by side cannot take the same rest', () => {
  const ledger = capLedger(1);
  const [first, second] = [ledger.reserve(reservation(0.5)), ledger.reserve(reservation(0.25))];
  expect(ledger.remainingUsd()).toBe(0.25);
  ledger.settle(second, settlement(0.125));
  expect(ledger.remainingUsd()).toBe(0.375);
  ledger.settle(first, settlement(0));
  expect(ledger.spentUsd()).toBe(0.125);
});
