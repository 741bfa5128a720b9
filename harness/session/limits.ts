// The limits of a session: when one is reached, and when the model must be told that one is near. Pure.

/** What a session may use. */
export interface SessionLimits {
  turns: number;
  ms: number;
}

export interface MoneyLeft {
  /** Dollars that calls may still cost; what must be left over to reserve one is not part of it. */
  usd: number;
  /** What the last call cost; 0 when there was none. */
  lastCallUsd: number;
}

/** What it has used so far. */
export interface SessionUse {
  turns: number;
  ms: number;
  /** Null when nobody counts. */
  money: MoneyLeft | null;
}

export type LimitName = 'turns' | 'time' | 'money';

/** An announcement that is due: what runs out, in words, and about how many turns remain. */
export interface WrapUp {
  limits: LimitName[];
  what: string;
  turns: number;
}

const LAST_TURNS = 5;
const LAST_SHARE = 0.1;
const LAST_MS = 2 * 60_000;

/** The limit that ends the session now. Money ends it elsewhere: the call that does not fit is refused. */
export function limitReached(
  limits: SessionLimits,
  use: SessionUse,
): { reason: 'turn_limit' | 'time_limit'; summary: string } | null {
  if (use.turns >= limits.turns) {
    return { reason: 'turn_limit', summary: `All ${limits.turns} turns were used.` };
  }
  if (use.ms >= limits.ms) {
    return {
      reason: 'time_limit',
      summary: `The session's ${Math.round(limits.ms / 60_000)} minutes were used.`,
    };
  }
  return null;
}

/** Limits that are near and of which the model was not told yet, in one announcement. */
export function wrapUpDue(
  limits: SessionLimits,
  use: SessionUse,
  announced: ReadonlySet<LimitName>,
): WrapUp | null {
  if (limitReached(limits, use)) return null;
  const near = nearLimits(limits, use);
  const due = near.filter(({ name }) => !announced.has(name));
  if (due.length === 0) return null;
  return {
    limits: due.map(({ name }) => name),
    what: due.map(({ what }) => what).join(' and '),
    turns: Math.max(Math.min(...near.map(({ turns }) => turns)), 1),
  };
}

interface NearLimit {
  name: LimitName;
  what: string;
  /** Turns that it leaves, as far as anybody can tell. */
  turns: number;
}

function nearLimits(limits: SessionLimits, { turns, ms, money }: SessionUse): NearLimit[] {
  const near: NearLimit[] = [];
  const turnsLeft = limits.turns - turns;
  if (turnsLeft <= LAST_TURNS) near.push({ name: 'turns', what: 'turns', turns: turnsLeft });
  const msLeft = limits.ms - ms;
  if (msLeft <= Math.max(limits.ms * LAST_SHARE, LAST_MS)) {
    const byPace = turns > 0 && ms > 0 ? Math.floor(msLeft / (ms / turns)) : LAST_TURNS;
    const minutes = Math.max(Math.floor(msLeft / 60_000), 1);
    const what = `time (about ${minutes} minute${minutes === 1 ? '' : 's'} left)`;
    near.push({ name: 'time', what, turns: Math.min(byPace, turnsLeft) });
  }
  if (money && money.lastCallUsd > 0 && money.usd <= LAST_TURNS * money.lastCallUsd) {
    const calls = Math.floor(money.usd / money.lastCallUsd);
    near.push({ name: 'money', what: 'money', turns: Math.min(calls, turnsLeft) });
  }
  return near;
}
