// The budget's ledger on the journal: reservations and settlements are records, the rest is what they leave of the cap.

import type { LiveJournal } from '../journal/live-journal.js';
import type { Ledger } from '../model/ledger.js';

/** @param budgetUsd the cap in force; it holds for the whole run, over all its processes. */
export function spendLedger(journal: LiveJournal, session: number, budgetUsd: number): Ledger {
  let calls = 0;
  return {
    remainingUsd: () => budgetUsd - journal.state.spentUsd,
    reserve({ usd, model }) {
      const call = `${journal.generation}.${session}.${++calls}`;
      journal.append({ type: 'spend.reserve', call, session, usd, model });
      return call;
    },
    settle(call, { usd, tokens, estimated }) {
      journal.append({ type: 'spend.settle', call, usd, tokens, estimated });
    },
  };
}
