// A verification as those who ask for it and those who do a part of it see it.

import type { Clock } from '../base/clock.js';
import type { Feature } from '../features/feature-list.js';
import type { Journal } from '../journal/journal.js';
import type { CommitPlan, Verdict } from '../journal/records.js';
import type { App } from '../workspace/app.js';
import type { KnownInit } from '../workspace/init-guard.js';
import type { CanonicalList } from '../workspace/list-guard.js';
import type { PortBlock, Room } from '../workspace/room.js';
import type { InitDeadlines } from '../workspace/running-app.js';
import type { Proof } from './proof.js';

export interface VerifyDeps {
  app: App;
  branch: string;
  journal: Journal;
  clock: Clock;
  room: Room;
  proof: Proof;
  deadlines: InitDeadlines;
}

export interface VerifyRequest {
  session: number;
  feature: Feature;
  canonical: CanonicalList;
  init: KnownInit;
  /** Subject and body of the commit; trailers are added. */
  commitMessage: string;
  /** New text of claude-progress.txt. */
  progress: string;
  /** The session's block. */
  ports: PortBlock;
  /** Called once the proof is sure to be run: the session's own app must leave its port. */
  beforeStart(): Promise<void>;
  /** Passing features that are likely to break on this change; their proofs must hold too. */
  atRisk: readonly Feature[];
  signal: AbortSignal;
}

export interface VerifyOutcome {
  verdict: Verdict;
  summary: string;
  /** For the model. */
  report: string;
  /** What to commit; null when not green. */
  flip: CommitPlan | null;
  /** The app came up, so it makes sense to look at it. */
  cameUp: boolean;
}

/** The candidate could not even be named: nothing was journaled. For the model, as a sentence. */
export interface VerifyRefusal {
  refused: string;
}
