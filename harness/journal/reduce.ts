// reduce(records) -> RunState: pure, one small handler for each kind of record.

import type { AmendPurpose, JournalEvent, JournalRecord, ParkReason } from './records.js';
import { type Attempt, emptyState, featureState, passedCount, type RunState } from './run-state.js';

type Handlers = {
  [T in JournalEvent['type']]: (state: RunState, record: Extract<JournalRecord, { type: T }>) => void;
};

/** Crashes in a row that cost neither attempt nor patience; a session that kills its machine each time must not spin. */
const FREE_CRASHES = 2;

/** The state after all records. */
export function reduce(records: readonly JournalRecord[]): RunState {
  const state = emptyState();
  for (const record of records) applyRecord(state, record);
  return state;
}

/** Applies one record to `state` in place, for views that follow a journal. Unknown types are passed over. */
export function applyRecord(state: RunState, record: JournalRecord): void {
  const handler = HANDLERS[record.type] as ((state: RunState, record: JournalRecord) => void) | undefined;
  handler?.(state, record);
  state.startedAt ??= record.at;
  if (state.lastAt !== null && record.gen === state.lastGen) {
    // Wall time may jump back; a negative step counts as none.
    state.activeMs += Math.max(Date.parse(record.at) - Date.parse(state.lastAt), 0);
  }
  state.lastAt = record.at;
  state.lastGen = record.gen;
}

const HANDLERS: Handlers = {
  'run.begin': (state, record) => {
    state.runId = record.runId;
    state.branch = record.branch;
    state.specSha256 = record.specSha256;
    state.files = record.files;
    state.phase = 'initializing';
    // A run whose spec was refused begins anew with another one.
    state.parked = null;
    state.initTries = 0;
  },

  'process.begin': (state, record) => {
    state.pid = record.pid;
    state.budgetUsd = record.budgetUsd;
    state.model = record.model;
    state.simulated = record.simulated;
    state.waiting = null;
    // What an earlier process reserved and never settled may have been billed: it stays counted.
    for (const usd of state.openReservations.values()) state.uncertainUsd += usd;
    state.openReservations.clear();
    if (state.parked && GOES_ON_BY_ITSELF.has(state.parked.reason)) unpark(state);
  },

  'process.end': state => {
    state.pid = null;
  },

  'prefix.begin': (state, { sha256, model, tools }) => {
    state.prefix = { sha256, model, tools };
  },

  'journal.cut': () => {},

  'session.begin': (state, record) => {
    state.sessions = record.session;
    state.open = {
      session: record.session,
      kind: record.kind,
      feature: record.feature,
      title: record.title,
      began: record.at,
      base: record.base,
      turns: 0,
      verifying: false,
    };
    if (record.feature !== null) {
      featureState(state, record.feature).history.push({
        session: record.session,
        end: 'crashed',
        outcome: null,
        summary: '',
        verdicts: [],
        salvage: null,
      });
    }
  },

  'spend.reserve': (state, record) => {
    state.openReservations.set(record.call, record.usd);
    state.spentUsd += record.usd;
  },

  'spend.settle': (state, record) => {
    const reserved = state.openReservations.get(record.call) ?? 0;
    state.openReservations.delete(record.call);
    state.spentUsd += record.usd - reserved;
    if (record.estimated) state.uncertainUsd += record.usd;
    if (record.tokens) {
      state.tokens.input += record.tokens.input;
      state.tokens.output += record.tokens.output;
      state.tokens.cacheRead += record.tokens.cacheRead;
      state.tokens.cacheWrite += record.tokens.cacheWrite;
    }
  },

  'wait.begin': (state, record) => {
    state.waiting = { fault: record.fault, message: record.message, untilMs: record.untilMs };
    // Who starts again after an outage of the network has often just mended it.
    state.owedWait = record.fault === 'network' ? null : state.waiting;
  },

  'wait.end': state => {
    state.waiting = null;
    state.owedWait = null;
  },

  'turn.end': (state, record) => {
    if (state.open) state.open.turns = record.turn;
    state.waiting = null;
    state.owedWait = null;
  },

  'tool.end': () => {},

  'list.restored': () => {},

  'init.restored': (state, { session, found }) => {
    // What is put right after a session is in its end.
    if (session === null)
      state.personDid.push(`left the app without its init.sh (${found}); it was put back`);
  },

  'spec.restored': () => {},

  'init.rejected': (state, record) => {
    state.initFaults = record.reasons;
  },

  'verify.begin': state => {
    if (state.open) state.open.verifying = true;
  },

  'verify.result': (state, record) => {
    if (state.open) state.open.verifying = false;
    attempt(state, record.feature, record.session)?.verdicts.push({
      verdict: record.verdict,
      summary: record.summary,
    });
    if (record.flip) {
      state.pendingFlip = { session: record.session, feature: record.feature, plan: record.flip };
    }
  },

  'commit.intent': (state, record) => {
    state.pendingCommit = {
      session: record.session,
      purpose: record.purpose,
      base: record.base,
      commit: record.commit,
    };
  },

  'commit.done': (state, record) => {
    state.pendingCommit = null;
    state.lastCommit = record.commit;
    const { kind } = record.purpose;
    if (kind === 'init' || kind === 'flip') state.initProvedAt = record.commit;
    if (state.head !== null) state.head = record.commit;
    if (record.purpose.kind === 'amend') applyAmendment(state, record.purpose, record.commit);
    if (record.purpose.kind === 'person') {
      state.suiteDue = true;
      state.personDid.push(`committed by hand what lay in the work tree: ${record.commit.slice(0, 7)}`);
    }
    if (record.purpose.kind !== 'flip') return;
    state.pendingFlip = null;
    const feature = featureState(state, record.purpose.feature);
    state.lastFlip = record.commit;
    feature.passed = true;
    feature.passedAt = record.seq;
    feature.attempts = 0;
    feature.setAside = false;
    feature.blockedBy = [];
    const passed = passedCount(state);
    if (passed > state.highWater) {
      state.highWater = passed;
      state.idle = 0;
    }
  },

  'commit.void': state => {
    state.pendingCommit = null;
    state.pendingFlip = null;
  },

  'init.done': (state, record) => {
    state.contractSha256 = record.contractSha256;
    state.total = record.total;
    state.plan = record.plan;
    state.phase = 'executing';
    state.initFaults = [];
  },

  'session.end': (state, record) => {
    const open = state.open;
    state.open = null;
    state.head = record.head ?? null;
    state.personSaid = [];
    state.personDid = [];
    state.crashes = 0;
    state.waiting = null;
    state.lastSession = {
      session: record.session,
      feature: open?.feature ?? null,
      end: record.reason,
      outcome: record.outcome,
      summary: record.summary,
      salvage: record.salvage,
      did: record.did,
    };
    if (!open) return;
    if (open.kind === 'initializer') {
      if (state.contractSha256 === null && !isFree(record.reason)) state.initTries++;
      return;
    }
    if (open.feature === null) return;
    const feature = featureState(state, open.feature);
    const last = attempt(state, open.feature, record.session);
    if (last)
      Object.assign(last, {
        end: record.reason,
        outcome: record.outcome,
        summary: record.summary,
        salvage: record.salvage,
      });
    if (feature.passed || isFree(record.reason)) return;
    if (record.outcome === 'blocked') {
      feature.declines++;
      feature.blockedBy = record.blockedBy;
      // The first decline that names what must come first is advice, and costs nothing.
      if (feature.declines === 1 && record.blockedBy.length > 0) return;
    }
    feature.attempts++;
    state.idle++;
  },

  'session.abandoned': (state, record) => {
    const open = state.open;
    state.open = null;
    state.head = record.head ?? null;
    state.crashes++;
    state.lastSession = {
      session: record.session,
      feature: open?.feature ?? null,
      end: 'crashed',
      outcome: null,
      summary: '',
      salvage: record.salvage,
      did: record.did,
    };
    const last = open?.feature ? attempt(state, open.feature, record.session) : undefined;
    if (last) last.salvage = record.salvage;
    if (state.crashes <= FREE_CRASHES || !open) return;
    if (open.kind === 'initializer') {
      state.initTries++;
    } else if (open.feature !== null && !featureState(state, open.feature).passed) {
      featureState(state, open.feature).attempts++;
      state.idle++;
    }
  },

  'feature.set_aside': (state, record) => {
    featureState(state, record.feature).setAside = true;
  },

  'run.parked': (state, record) => {
    state.phase = 'parked';
    state.parked = { reason: record.reason, detail: record.detail, exitCode: record.exitCode };
  },

  'run.done': state => {
    state.phase = 'done';
  },

  'person.commits': (state, record) => {
    state.head = record.to;
    state.suiteDue = true;
    const files = record.files.slice(0, 4).join(', ');
    state.personDid.push(
      `committed ${record.count === 1 ? 'once' : `${record.count} times`} by hand (${files}${record.files.length > 4 ? ', …' : ''}): \`git log ${record.from.slice(0, 7)}..${record.to.slice(0, 7)}\``,
    );
  },

  'suite.replayed': state => {
    state.suiteDue = false;
  },

  'spec.amended': (state, record) => {
    state.specSha256 = record.specSha256;
    state.initFaults = [];
    state.initTries = 0;
  },

  'page.intent': () => {},

  'page.sent': () => {},

  'page.failed': () => {},

  'person.resume': (state, record) => {
    if (record.budgetUsd !== null) state.budgetUsd = record.budgetUsd;
    if (record.said) state.personSaid.push(record.said);
    state.owedWait = null;
    state.idle = 0;
    state.crashes = 0;
    state.initTries = 0;
    for (const [id, feature] of state.features) {
      // A person who says "go on" gives each feature its attempts again, or just the one that was named.
      if (record.retry !== null && record.retry !== id) continue;
      feature.attempts = 0;
      feature.setAside = false;
    }
    unpark(state);
  },
};

/** A person stopped the process and not the run: the next start goes on. */
export const GOES_ON_BY_ITSELF: ReadonlySet<string> = new Set<ParkReason>(['interrupted', 'stopped']);

/** A person acted, so patience starts anew; what must be proved again counts as never tried. */
function applyAmendment(state: RunState, amend: AmendPurpose, commit: string): void {
  state.contractSha256 = amend.contractSha256;
  state.total = amend.total;
  if (amend.specSha256 !== null) state.specSha256 = amend.specSha256;
  for (const { id, change, proveAgain } of amend.changes) {
    if (change === 'dropped') {
      state.features.delete(id);
      state.dropped.add(id);
      continue;
    }
    const feature = featureState(state, id);
    if (proveAgain) feature.passed = false;
    Object.assign(feature, { attempts: 0, setAside: false, blockedBy: [], declines: 0 });
  }
  state.personDid.push(...amend.sentences.map(sentence => `${sentence} (${commit.slice(0, 7)})`));
  state.idle = 0;
  state.highWater = passedCount(state);
  if (state.phase === 'done' && state.highWater < state.total) state.phase = 'executing';
}

/** Endings that are nobody's fault: they cost neither attempt nor patience. */
function isFree(reason: string): boolean {
  return reason === 'interrupted' || reason === 'api_error' || reason === 'budget';
}

function unpark(state: RunState): void {
  state.parked = null;
  state.phase = state.contractSha256 === null ? 'initializing' : 'executing';
}

function attempt(state: RunState, feature: string, session: number): Attempt | undefined {
  return featureState(state, feature).history.findLast(entry => entry.session === session);
}
