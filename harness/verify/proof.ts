// The seam for kinds of proof: what a feature's proof is, and what running it shows. Playwright specs are the first kind.

import type { Feature } from '../features/feature-list.js';
import type { Room } from '../workspace/room.js';

/** Where a proof runs. */
export interface ProofTarget {
  /** The app's folder, read for the proof's own files. */
  root: string;
  /** Address of what is proved: the app, or the blank app. */
  baseUrl: string;
  /** The blank app: short limits, since everything it lacks is waited for. */
  blank: boolean;
  /** Agent-written proof code runs in here. */
  room: Room;
  signal: AbortSignal;
}

export interface ProofRun {
  /**
   * `green`: everything held. `red`: an assertion or action failed after the first page had come. `broken`: the proof
   * itself could not run and its author must mend it. `inconclusive`: no fault of the feature (browser, machine, time).
   */
  verdict: 'green' | 'red' | 'broken' | 'inconclusive';
  /** One sentence. */
  summary: string;
  /** What a model needs to mend it: step, expected and received, the page as text, console. */
  report: string;
  /** Files worth keeping: a name for the evidence folder and where the file is now. */
  files: { name: string; path: string }[];
  /** Facts for result.json. */
  details: Record<string, unknown>;
  ms: number;
}

export interface Proof {
  /** Why the proof cannot be run as it stands, for the model, with what would work; null when it can. */
  missing(feature: Feature, root: string): string | null;
  /** The proof's own file, relative to the app: it is committed with the feature. */
  file(feature: Feature): string;
  /** SHA-256 over the proof and the files it may load. */
  hash(feature: Feature, root: string): string;
  run(feature: Feature, target: ProofTarget): Promise<ProofRun>;
}
