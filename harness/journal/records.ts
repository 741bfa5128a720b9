// Every event of a run as one discriminated union. State is never stored: it is the fold of these records.

/** Version of the record format. An older one folds; a newer one is refused. */
export const JOURNAL_VERSION = 1;

export type SessionKind = 'initializer' | 'executor';

/** Why a session was over. */
export type SessionEndReason =
  | 'finished' // the model called finish_session and it was accepted
  | 'feature_verified'
  | 'model_stopped' // it ended its turn without a tool call, also after a reminder
  | 'turn_limit'
  | 'time_limit'
  | 'budget' // the next call does not fit under the cap
  | 'truncated' // answers cut at max_tokens again and again
  | 'context_full'
  | 'refusal'
  | 'bad_calls' // calls that no tool could take, again and again
  | 'loop' // the same calls with the same results, also after a word about it
  | 'api_error' // the API asks for a person: key, billing, model
  | 'interrupted'
  | 'fault';

export type ParkReason =
  | 'stuck'
  | 'budget'
  | 'session_limit'
  | 'needs_person'
  | 'init_failed'
  | 'damage'
  | 'interrupted'
  | 'stopped'
  | 'paused'
  /** The spec is not for a web app. */
  | 'refused';

/** Tokens of one answer as the API reported them. */
export interface TokenCounts {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** What a flip or another commit of the harness needs so that recovery can make the same commit again. */
export interface CommitPlan {
  /** HEAD that the commit goes on top of: 40 hex digits, or '' on an unborn branch. */
  base: string;
  /** Tree of the commit. */
  tree: string;
  message: string;
  /** Author and committer date, ms since the epoch: the same commit id again after a crash. */
  dateMs: number;
}

/** What an amendment does to one entry of the list; `proveAgain`: it passed, and its proof shows it no longer. */
export interface AmendedFeature {
  id: string;
  change: 'added' | 'changed' | 'dropped';
  proveAgain: boolean;
}

/** What a session says of itself when it ends by finish_session. */
export type SessionOutcome = 'done' | 'unfinished' | 'blocked' | 'needs_person' | 'not_a_web_app';

/** What the initializer says about what it prepared, for the person who decides whether to go on. */
export interface Plan {
  /** Languages and packages, one sentence. */
  stack: string;
  /** Programs that the app needs on the machine. */
  programs: string[];
  /** What the spec leaves open, and how it was decided. */
  questions: string[];
}

/** Why sessions begin with other bytes; `upgrade`: our texts or schemas are others. */
export type PrefixCause = 'first' | 'model' | 'tools' | 'upgrade';

export type JournalEvent =
  /** First record: what was asked for. `spec` is the hash of app_spec.md. */
  | {
      type: 'run.begin';
      runId: string;
      branch: string;
      specSha256: string;
      longhaul: string;
      /** Names in the app's folder before anything was written: a person's. */
      files: string[];
    }
  /** Each start of a process on this run, with the settings in force. */
  | {
      type: 'process.begin';
      pid: number;
      model: string;
      budgetUsd: number;
      settings: Record<string, unknown>;
      /** Those of them that were given as flags, now or at an earlier start; the cap apart. */
      flags?: Record<string, unknown>;
      walls: string;
      /** The API is not the real one: dollars are simulated. */
      simulated: boolean;
    }
  | { type: 'process.end'; exitCode: number }
  /** From here on sessions begin with other bytes (system prompt, tools, model) than before. Never inside a session. */
  | {
      type: 'prefix.begin';
      cause: PrefixCause;
      sha256: string;
      model: string;
      /** Names of our own tools, types of those that the models were trained on. */
      tools: string[];
      longhaul: string;
    }
  | { type: 'journal.cut'; bytes: number }
  /** `title` is what the session is about, for people. */
  | {
      type: 'session.begin';
      session: number;
      kind: SessionKind;
      feature: string | null;
      title: string;
      base: string;
    }
  | { type: 'spend.reserve'; call: string; session: number; usd: number; model: string }
  | {
      type: 'spend.settle';
      call: string;
      usd: number;
      tokens: TokenCounts | null;
      /** The answer broke off: what the API did not report was bounded by us. */
      estimated: boolean;
    }
  | { type: 'wait.begin'; session: number; fault: ModelFaultName; message: string; untilMs: number }
  | { type: 'wait.end'; session: number }
  | {
      type: 'turn.end';
      session: number;
      turn: number;
      stopReason: string;
      contextTokens: number;
      tools: string[];
    }
  | { type: 'tool.end'; session: number; turn: number; tool: string; brief: string; ok: boolean; ms: number }
  /** Somebody other than the harness changed features.json; it was put right. `session` is null between sessions. */
  | { type: 'list.restored'; session: number | null; found: string }
  /** init.sh was gone, empty or could not be run any more; it was put back. */
  | { type: 'init.restored'; session: number | null; found: string }
  /** A session changed app_spec.md, on disk or in a commit; it was put back. */
  | { type: 'spec.restored'; session: number }
  | { type: 'init.rejected'; session: number; reasons: string[] }
  | { type: 'verify.begin'; session: number; feature: string; tree: string; specSha256: string }
  | {
      type: 'verify.result';
      session: number;
      feature: string;
      /** The candidate tree: what was on disk when the spec ran. */
      tree: string;
      specSha256: string;
      verdict: Verdict;
      /** One sentence for people and for the next attempt's brief. */
      summary: string;
      /** SHA-256 of evidence/<feature>/result.json; null when not green. */
      evidenceSha256: string | null;
      /** The flip that a green verdict asks for; null when not green. */
      flip: CommitPlan | null;
      /** Passing features whose specs were changed with it and proved anew; left out when there are none. */
      changedSpecs?: string[];
    }
  | { type: 'commit.intent'; session: number | null; purpose: CommitPurpose; base: string; commit: string }
  | { type: 'commit.done'; session: number | null; purpose: CommitPurpose; commit: string }
  /** The compare-and-swap found another HEAD: nothing was committed. */
  | { type: 'commit.void'; session: number | null; commit: string; head: string }
  /** The list is frozen: `contractSha256` is the hash of the list without `passes`. */
  | { type: 'init.done'; session: number; commit: string; contractSha256: string; total: number; plan: Plan }
  | {
      type: 'session.end';
      session: number;
      reason: SessionEndReason;
      summary: string;
      turns: number;
      outcome: SessionOutcome | null;
      blockedBy: string[];
      /** Where a dirty tree was saved, or null. */
      salvage: string | null;
      /** What had to be put right after it, as sentences. */
      did: string[];
      /** HEAD after it: what is on top of it at the next start is a person's. Missing in the oldest journals. */
      head?: string;
    }
  /** Written by recovery for a session that a crash cut off. */
  | { type: 'session.abandoned'; session: number; salvage: string | null; did: string[]; head?: string }
  /** Between sessions HEAD moved by commits that are not the harness's: they are kept, and the suite is due. */
  | { type: 'person.commits'; from: string; to: string; count: number; files: string[] }
  /** All stored specs were run in an app of HEAD `head`; `broken` as sentences. */
  | { type: 'suite.replayed'; head: string; specs: number; broken: string[] }
  | { type: 'feature.set_aside'; feature: string; attempts: number }
  | { type: 'run.parked'; reason: ParkReason; detail: string; exitCode: number }
  | { type: 'run.done'; head: string }
  /** A page was decided on; its text lies in the outbox. `key` names its cause. */
  | { type: 'page.intent'; key: string; title: string }
  /** A channel took it. */
  | { type: 'page.sent'; key: string; channel: string }
  /** A channel did not take it now; it stays in the outbox. */
  | { type: 'page.failed'; key: string; channel: string; error: string }
  /** A person changed the app spec before a start was accepted; later ones are an `amend` commit. */
  | { type: 'spec.amended'; specSha256: string }
  /** A person said: go on. */
  | { type: 'person.resume'; budgetUsd: number | null; retry: string | null; said?: string };

/**
 * `flip` carries the feature; `init` is the accepted start; `wip` sound but unproved work; `person` what a person left
 * uncommitted and asked to commit; `notes` and `list` keep a file as it must be.
 */
export type CommitPurpose =
  | { kind: 'flip'; feature: string }
  | { kind: 'init' }
  | { kind: 'wip' }
  | { kind: 'notes' }
  | { kind: 'list' }
  | { kind: 'init_file' }
  | { kind: 'person' }
  | AmendPurpose;

/** A person changed list or app spec: all that the state needs of it, so that recovery can finish it. */
export interface AmendPurpose {
  kind: 'amend';
  contractSha256: string;
  total: number;
  /** Null when the app spec stayed. */
  specSha256: string | null;
  changes: AmendedFeature[];
  /** For people and for the next brief. */
  sentences: string[];
}

/** `unproven`: green also on an empty page. `inconclusive`: the harness could not tell; no fault of the feature. */
export type Verdict = 'green' | 'red' | 'unproven' | 'broken' | 'inconclusive';

/** As `ModelFault` of the model area, which lies above this one. */
export type ModelFaultName = string;

/** An event as it stands in the journal. */
export type JournalRecord = JournalEvent & {
  /** Format version. */
  v: number;
  /** Sequence number, from 1, without gaps. */
  seq: number;
  /** Process generation: how many processes have opened this journal. */
  gen: number;
  /** ISO 8601, UTC. */
  at: string;
};
