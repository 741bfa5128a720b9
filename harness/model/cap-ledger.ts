// A ledger of one process: for calls that belong to no run and whose cap ends with the process.

import type { Ledger } from './ledger.js';

export interface CapLedger extends Ledger {
  /** Settled calls, and what is still reserved. */
  spentUsd(): number;
}

export function capLedger(capUsd: number): CapLedger {
  const calls = new Map<string, number>();
  const spentUsd = () => [...calls.values()].reduce((sum, usd) => sum + usd, 0);
  return {
    spentUsd,
    remainingUsd: () => capUsd - spentUsd(),
    reserve({ usd }) {
      const call = String(calls.size + 1);
      calls.set(call, usd);
      return call;
    },
    settle: (call, { usd }) => void calls.set(call, usd),
  };
}
