// Where money is reserved before a call and settled after it; whoever keeps the journal implements it.

import type { TokenCounts } from '../journal/records.js';
import type { Usage } from './model.js';

export interface Reservation {
  /** The most that the call may cost. */
  usd: number;
  model: string;
  /** The bounds behind it. */
  inputTokens: number;
  maxTokens: number;
}

export interface Settlement {
  usd: number;
  /** What the API reported; null when it reported nothing. */
  tokens: TokenCounts | null;
  usage: Partial<Usage> | null;
  /** A part of it was not reported and is bounded by us. */
  estimated: boolean;
}

export interface Ledger {
  /** What may still be reserved: the cap minus all that is settled and all that is reserved. */
  remainingUsd(): number;
  /**
   * Durable when it returns, and synchronous: between looking at the rest and taking from it nobody else may take. The
   * id names the call in `settle`.
   */
  reserve(reservation: Reservation): string;
  /** Replaces the reservation by what the call cost. Called exactly once for each, whatever became of the call. */
  settle(call: string, settlement: Settlement): void;
}
