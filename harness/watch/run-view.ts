// What `status` shows, computed from the journal. Pure.

import { count, dollars, span } from '../base/amounts.js';
import { passedCount, type RunState } from '../journal/run-state.js';
import { topic } from './words.js';

export interface RunView {
  /**
   * A resting state (new, parked, done), what happens now, `ready`: a plan or a changed list waits for `run`, or `crashed`: the
   * process that held the run ended without a word.
   */
  state:
    | 'new'
    | 'initializing'
    | 'executing'
    | 'verifying'
    | 'waiting'
    | 'parked'
    | 'ready'
    | 'done'
    | 'crashed';
  reason: string | null;
  detail: string | null;
  passed: number;
  total: number;
  sessions: number;
  spentUsd: number;
  /** The part of `spentUsd` that rests on reservations or estimates. */
  uncertainUsd: number;
  /** The part of `spentUsd` that is set aside for the call that is open: its worst case. */
  openUsd: number;
  budgetUsd: number;
  simulated: boolean;
  /** The feature in work, or null. */
  feature: string | null;
  /** The session that is open, or that a crash cut off; null between sessions. */
  session: { session: number; title: string; began: string; turns: number } | null;
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
    openUsd: roundUsd([...state.openReservations.values()].reduce((sum, usd) => sum + usd, 0)),
    budgetUsd: state.budgetUsd,
    simulated: state.simulated,
    feature: state.open?.feature ?? null,
    session: state.open
      ? {
          session: state.open.session,
          title: state.open.title,
          began: state.open.began,
          turns: state.open.turns,
        }
      : null,
    pid: holder,
  };
}

/**
 * As lines for a terminal.
 * @param nowMs for how long a session has been going on.
 * @param goOn the command that goes on, for a run that nobody holds.
 */
export function describeView(view: RunView, nowMs: number, goOn: string): string[] {
  const reason = view.reason ? ` (${view.reason}${view.detail ? `: ${view.detail}` : ''})` : '';
  // A call that is open is spent only once it is answered; after a crash nobody knows its end.
  const isOpen = view.pid !== null;
  const spentUsd = isOpen ? view.spentUsd - view.openUsd : view.spentUsd;
  const uncertainUsd = isOpen ? view.uncertainUsd : view.uncertainUsd + view.openUsd;
  const money = `${dollars(spentUsd)} of ${dollars(view.budgetUsd)}${view.simulated ? ' (simulated)' : ''}`;
  const open =
    isOpen && view.openUsd > 0 ? `, at most ${dollars(view.openUsd)} more for the open answer` : '';
  const uncertain =
    uncertainUsd > 0
      ? `, of it ${dollars(uncertainUsd)} for calls whose end is not known (counted in full)`
      : '';
  const lines = [
    `${view.state}${reason}`,
    view.total > 0 ? `${view.passed} of ${view.total} features pass` : 'no features yet',
    `${view.sessions} ${view.sessions === 1 ? 'session' : 'sessions'}, ${money}${open}${uncertain}`,
  ];
  const { session } = view;
  if (session) {
    const about = topic({ feature: view.feature, title: session.title });
    const age =
      view.pid === null
        ? 'cut off'
        : `for ${span(Math.max(nowMs - Date.parse(session.began), 0))}, ${count(session.turns, 'turn')}`;
    lines.push(`session ${session.session}: ${about}, ${age}`);
  }
  if (view.pid !== null) lines.push(`process ${view.pid}`);
  else if (view.state !== 'done') lines.push(`To go on: ${goOn}`);
  return lines;
}

function describeState(state: RunState, held: boolean): RunView['state'] {
  if (!held) {
    const resting = state.phase === 'new' || state.phase === 'parked' || state.phase === 'done';
    if (resting) return state.phase;
    return state.pid === null ? 'ready' : 'crashed';
  }
  if (state.waiting) return 'waiting';
  if (state.open?.verifying) return 'verifying';
  return state.phase;
}

/** A millionth of a dollar: sums of floats must not show their tails. */
function roundUsd(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}
