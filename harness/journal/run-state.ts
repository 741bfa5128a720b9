// What the journal adds up to: the state of a run, computed and never stored.

import type {
  CommitPlan,
  JournalRecord,
  ModelFaultName,
  ParkReason,
  Plan,
  SessionEndReason,
  SessionKind,
  SessionOutcome,
  TokenCounts,
  Verdict,
} from './records.js';

/** What is known of one feature beyond its entry in the list. */
export interface FeatureState {
  passed: boolean;
  /** Number of the record that made it pass, for "the last ones that passed"; 0 before. */
  passedAt: number;
  /** Sessions that ended without a pass since the last pass or resume, those that cost nothing apart. */
  attempts: number;
  /** It failed too often; it comes after all others. */
  setAside: boolean;
  /** The first decline that names failing features is free; these come first then. */
  blockedBy: string[];
  declines: number;
  history: Attempt[];
}

/** One session's work on a feature, for the next brief and for people. */
export interface Attempt {
  session: number;
  end: SessionEndReason | 'crashed';
  /** What the session said of itself by finish_session. */
  outcome: SessionOutcome | null;
  summary: string;
  verdicts: { verdict: Verdict; summary: string }[];
  salvage: string | null;
}

export interface OpenSession {
  session: number;
  kind: SessionKind;
  feature: string | null;
  title: string;
  /** ISO 8601, UTC. */
  began: string;
  base: string;
  turns: number;
  verifying: boolean;
}

/** A green verdict whose commit is not known to be done. */
export interface PendingFlip {
  session: number;
  feature: string;
  plan: CommitPlan;
}

/** How the session before ended and what it left. */
export interface LastSession {
  session: number;
  feature: string | null;
  end: SessionEndReason | 'crashed';
  outcome: SessionOutcome | null;
  summary: string;
  /** Ref with its unfinished files. */
  salvage: string | null;
  /** What the harness put right after it. */
  did: string[];
}

/** What sessions begin with, as far as it is told apart. */
export interface PrefixEpoch {
  sha256: string;
  model: string;
  tools: string[];
}

export interface PendingCommit {
  session: number | null;
  purpose: Extract<JournalRecord, { type: 'commit.intent' }>['purpose'];
  base: string;
  commit: string;
}

export interface ApiWait {
  fault: ModelFaultName;
  message: string;
  /** Wall time, ms since the epoch. */
  untilMs: number;
}

export interface RunState {
  runId: string | null;
  branch: string | null;
  specSha256: string | null;
  /** Names in the app's folder before the run: a person's files. */
  files: string[];
  /** Resting states are parked and done; the others mean that a process holds the run or crashed. */
  phase: 'new' | 'initializing' | 'executing' | 'parked' | 'done';
  parked: { reason: ParkReason; detail: string; exitCode: number } | null;
  pid: number | null;
  simulated: boolean;
  model: string | null;
  /** Of the last session; null before the first. */
  prefix: PrefixEpoch | null;
  waiting: ApiWait | null;
  /** What the API asked to wait for, of whatever process: it is owed until an answer comes or a person says "go on". */
  owedWait: ApiWait | null;
  sessions: number;
  open: OpenSession | null;
  /** Initializer sessions that ended without an accepted start. */
  initTries: number;
  initFaults: string[];
  contractSha256: string | null;
  plan: Plan | null;
  /** Last commit of the harness: its features.json is the list as it must be. */
  lastCommit: string | null;
  total: number;
  /** Commit of the last flip: its tree was seen green. */
  lastFlip: string | null;
  /** Commit whose init.sh was seen to bring the app up from a clean checkout, or is the same: the start's or the last flip's. */
  initProvedAt: string | null;
  /** HEAD as the harness last left it between sessions; null before the first session's end. */
  head: string | null;
  /** A person changed the app since all stored specs were last run. */
  suiteDue: boolean;
  /** What a person said since the last session that ended, for the next brief. */
  personSaid: string[];
  /** What a person did since the last session that ended, as sentences for the next brief. */
  personDid: string[];
  /** Ids that a person dropped from the list: they are not given again. */
  dropped: Set<string>;
  features: Map<string, FeatureState>;
  pendingFlip: PendingFlip | null;
  pendingCommit: PendingCommit | null;
  /** Most features that ever passed. */
  highWater: number;
  /** Sessions since the high-water mark last rose. */
  idle: number;
  /** Sessions in a row that a crash cut off. */
  crashes: number;
  budgetUsd: number;
  /** Settled calls plus reservations that were never settled. */
  spentUsd: number;
  /** The part of it that rests on a reservation or an estimate. */
  uncertainUsd: number;
  openReservations: Map<string, number>;
  tokens: TokenCounts;
  /** What the session before left in words: its summary, and where its unfinished files are. */
  lastSession: LastSession | null;
  startedAt: string | null;
  lastAt: string | null;
  /** Process generation of the last record. */
  lastGen: number;
  /** Time during which some process worked on the run, ms; pauses between processes do not count. */
  activeMs: number;
}

export function emptyState(): RunState {
  return {
    runId: null,
    branch: null,
    specSha256: null,
    files: [],
    phase: 'new',
    parked: null,
    pid: null,
    simulated: false,
    model: null,
    prefix: null,
    waiting: null,
    owedWait: null,
    sessions: 0,
    open: null,
    initTries: 0,
    initFaults: [],
    contractSha256: null,
    plan: null,
    lastCommit: null,
    total: 0,
    lastFlip: null,
    initProvedAt: null,
    head: null,
    suiteDue: false,
    personSaid: [],
    personDid: [],
    dropped: new Set(),
    features: new Map(),
    pendingFlip: null,
    pendingCommit: null,
    highWater: 0,
    idle: 0,
    crashes: 0,
    budgetUsd: 0,
    spentUsd: 0,
    uncertainUsd: 0,
    openReservations: new Map(),
    tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    lastSession: null,
    startedAt: null,
    lastAt: null,
    lastGen: 0,
    activeMs: 0,
  };
}

/** The feature's state, made on first use. */
export function featureState(state: RunState, id: string): FeatureState {
  let feature = state.features.get(id);
  if (!feature) {
    feature = {
      passed: false,
      passedAt: 0,
      attempts: 0,
      setAside: false,
      blockedBy: [],
      declines: 0,
      history: [],
    };
    state.features.set(id, feature);
  }
  return feature;
}

export function passedCount(state: RunState): number {
  return [...state.features.values()].filter(feature => feature.passed).length;
}
