// What each thing that can end a session is called, and the sentence that goes with it. Pure.

import { messageOf } from '../base/errors.js';
import type { SessionEndReason } from '../journal/records.js';
import { BudgetExceeded } from '../model/budgeted-model.js';
import { ModelError, type ModelFault } from '../model/model.js';
import type { SessionVerdict } from '../tools/tool.js';
import type { LoopVerdict } from './loop-guard.js';
import type { SessionEnd } from './session-types.js';

export type Ending = Pick<SessionEnd, 'reason' | 'summary'> & Partial<Pick<SessionEnd, 'verdict'>>;

/** Turns in a row whose calls no tool could take; then the session is over. */
const MOST_BAD_TURNS = 3;

export function endAfterTools(facts: {
  verdict: SessionVerdict | null;
  /** Turns in a row whose calls no tool could take. */
  badTurns: number;
  loop: LoopVerdict;
}): Ending | null {
  if (facts.verdict) return endOfVerdict(facts.verdict);
  if (facts.badTurns >= MOST_BAD_TURNS) {
    return {
      reason: 'bad_calls',
      summary: `${MOST_BAD_TURNS} turns in a row had only calls that no tool could take.`,
    };
  }
  if (facts.loop.kind !== 'stop') return null;
  return {
    reason: 'loop',
    summary: `It went round in circles, also after a word about it: ${facts.loop.what}.`,
  };
}

function endOfVerdict(verdict: SessionVerdict): Ending {
  if (verdict.kind === 'feature_verified') {
    return { reason: 'feature_verified', summary: `${verdict.feature} was verified and committed.`, verdict };
  }
  return { reason: 'finished', summary: verdict.summary, verdict };
}

/** What each lasting fault of the API means for a session; the passing ones are waited out below us. */
const END_OF_FAULT: Readonly<Record<ModelFault, SessionEndReason>> = {
  rate_limit: 'fault',
  overloaded: 'fault',
  network: 'fault',
  auth: 'api_error',
  billing: 'api_error',
  model: 'api_error',
  too_long: 'context_full',
  invalid: 'fault',
};

/** @throws what is no failure of the model's. */
export function endOfFailedTurn(error: unknown, signal: AbortSignal): Ending {
  if (signal.aborted) return interrupted();
  if (error instanceof BudgetExceeded) return { reason: 'budget', summary: messageOf(error) };
  if (error instanceof ModelError) return { reason: END_OF_FAULT[error.fault], summary: messageOf(error) };
  throw error;
}

export function interrupted(): Ending {
  return { reason: 'interrupted', summary: 'The session was interrupted.' };
}
