// How a run ended, and the last line that says so. Pure.

import { count, dollars, span } from '../base/amounts.js';
import type { ParkReason } from '../journal/records.js';
import { passedCount, type RunState } from '../journal/run-state.js';

export interface RunEnd {
  exitCode: number;
  /** `planned`: the start is accepted and nothing more was asked for. */
  reason: ParkReason | 'done' | 'planned';
  /** Empty, or what lies behind the reason. */
  detail: string;
}

/** The last line of any run: `done: 3 of 3 features pass, 5 sessions, $0.11 (simulated), 48 s`. */
export function endSentence(end: RunEnd, state: RunState): string {
  const detail = end.detail === '' ? '' : ` (${end.detail})`;
  const counts = [
    state.contractSha256 === null
      ? 'no features yet'
      : `${passedCount(state)} of ${state.total} features pass`,
    count(state.sessions, 'session'),
    `${dollars(state.spentUsd)}${state.simulated ? ' (simulated)' : ''}`,
    span(state.activeMs),
  ];
  return `${end.reason}${detail}: ${counts.join(', ')}`;
}
