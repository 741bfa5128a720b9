// The budget's ledger on the journal: reservations and settlements are records, the rest is what they leave of the cap.

import type { LiveJournal } from '../journal/live-journal.js';
import type { Ledger } from '../model/ledger.js';
import type { MoneyLeft } from '../session/limits.js';

export interface SessionLedger extends Ledger {
  /** For the announcement that money runs out; null before the first call. */
  moneyLeft(): MoneyLeft | null;
}

/** @param budgetUsd the cap in force; it holds for the whole run, over all its processes. */
export function spendLedger(journal: LiveJournal, session: number, budgetUsd: number): SessionLedger {
  let calls = 0;
  let reserved = 0;
  let last = 0;
  return {
    remainingUsd: () => budgetUsd - journal.state.spentUsd,
    reserve({ usd, model }) {
      reserved = usd;
      const call = `${journal.generation}.${session}.${++calls}`;
      journal.append({ type: 'spend.reserve', call, session, usd, model });
      return call;
    },
    settle(call, { usd, tokens, estimated }) {
      last = usd;
      journal.append({ type: 'spend.settle', call, usd, tokens, estimated });
    },
    // The next call must be reserved whole, so its reservation is not money that may still be spent.
    moneyLeft: () =>
      last === 0 ? null : { usd: budgetUsd - journal.state.spentUsd - reserved, lastCallUsd: last },
  };
}
