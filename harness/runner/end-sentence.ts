// How a run ended, and the last line that says so. Pure.

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
    `${state.sessions} session${state.sessions === 1 ? '' : 's'}`,
    `$${state.spentUsd.toFixed(2)}${state.simulated ? ' (simulated)' : ''}`,
    duration(state.activeMs),
  ];
  return `${end.reason}${detail}: ${counts.join(', ')}`;
}

/** `48 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
