// What `status` shows, computed from the journal. Pure.

import { passedCount, type RunState } from '../journal/run-state.js';

export interface RunView {
  /** A resting state (new, parked, done), what happens now, or `crashed`: nobody holds a run that is not resting. */
  state: 'new' | 'initializing' | 'executing' | 'verifying' | 'waiting' | 'parked' | 'done' | 'crashed';
  reason: string | null;
  detail: string | null;
  passed: number;
  total: number;
  sessions: number;
  spentUsd: number;
  /** The part of `spentUsd` that rests on reservations or estimates. */
  uncertainUsd: number;
  budgetUsd: number;
  simulated: boolean;
  /** The feature in work, or null. */
  feature: string | null;
  /** The process that holds the run, or null. */
  pid: number | null;
}

/** @param holder pid of the process that holds the run's lock now, or null. */
export function runView(state: RunState, holder: number | null): RunView {
  return {
    state: describeState(state, holder !== null),
    reason: state.phase === 'parked' ? (state.parked?.reason ?? null) : null,
    detail: state.phase === 'parked' ? (state.parked?.detail ?? null) : null,
    passed: passedCount(state),
    total: state.total,
    sessions: state.sessions,
    spentUsd: roundUsd(state.spentUsd),
    uncertainUsd: roundUsd(state.uncertainUsd),
    budgetUsd: state.budgetUsd,
    simulated: state.simulated,
    feature: state.open?.feature ?? null,
    pid: holder,
  };
}

/** As lines for a terminal. */
export function describeView(view: RunView): string {
  const reason = view.reason ? ` (${view.reason}${view.detail ? `: ${view.detail}` : ''})` : '';
  const money = `$${view.spentUsd.toFixed(2)} of $${view.budgetUsd.toFixed(2)}${view.simulated ? ' (simulated)' : ''}`;
  const uncertain = view.uncertainUsd > 0 ? `, $${view.uncertainUsd.toFixed(2)} of it uncertain` : '';
  const lines = [
    `${view.state}${reason}`,
    view.total > 0 ? `${view.passed} of ${view.total} features pass` : 'no features yet',
    `${view.sessions} ${view.sessions === 1 ? 'session' : 'sessions'}, ${money}${uncertain}`,
  ];
  if (view.feature) lines.push(`now: ${view.feature}`);
  if (view.pid !== null) lines.push(`process ${view.pid}`);
  return lines.join('\n');
}

function describeState(state: RunState, held: boolean): RunView['state'] {
  if (!held) {
    const resting = state.phase === 'new' || state.phase === 'parked' || state.phase === 'done';
    return resting ? state.phase : 'crashed';
  }
  if (state.waiting) return 'waiting';
  if (state.open?.verifying) return 'verifying';
  return state.phase;
}

/** A millionth of a dollar: sums of floats must not show their tails. */
function roundUsd(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}
