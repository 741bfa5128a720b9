// What a run is made of: the parts that act, handed in by `commands/wire.ts`.

import type { Clock } from '../base/clock.js';
import type { FoundBrowser } from '../browser/find-browser.js';
import type { Settings } from '../config/settings.js';
import type { LiveJournal } from '../journal/live-journal.js';
import type { Model } from '../model/model.js';
import type { MoneyLeft } from '../session/limits.js';
import type { TrainedTypes } from '../tools/tool-definitions.js';
import type { Proof } from '../verify/proof.js';
import type { App } from '../workspace/app.js';
import type { KnownInit } from '../workspace/init-guard.js';
import type { Room } from '../workspace/room.js';
import type { InitDeadlines } from '../workspace/running-app.js';

export interface RunDeps {
  app: App;
  /** The branch that the run builds on. */
  branch: string;
  journal: LiveJournal;
  clock: Clock;
  settings: Settings;
  proof: Proof;
  /** The model of one session, with its budget, its waits and its records. */
  openModel(session: number): { model: Model; moneyLeft(): MoneyLeft | null };
  /** Tool types that the API was seen to accept: these are sent in the place of our own schemas. */
  acceptedTypes: TrainedTypes;
  /** For the agent's own looks at the app. */
  browser: FoundBrowser;
  /** Path of ripgrep, or null where there is none. */
  rg: string | null;
  /** A room for one session; `marker` is in the environment of each of its processes. */
  openRoom(name: string, marker: string): Room;
  /** Ends every process that carries a marker with this prefix; returns how many there were. */
  endProcesses(markerPrefix: string): Promise<number>;
  /** Removes what rooms of earlier processes left on disk. */
  sweepRooms(): void;
  /** What to do with changes that a person left uncommitted; null: the run is refused and names them. */
  mine: 'commit' | 'stash' | null;
  /** One line for a person. */
  say(line: string): void;
  /** Aborted by Ctrl-C, SIGTERM, `stop --now` and `pause`. */
  signal: AbortSignal;
  /** What a person asked of this process, or null; looked at between sessions. */
  asked(): StopRequest | null;
}

/** `stopped`: after this session. `interrupted`: now. `paused`: now, and only a person's resume goes on. */
export type StopRequest = 'stopped' | 'interrupted' | 'paused';

/** Prefix of the markers of all processes that this run ever started. */
export function markerPrefix(deps: Pick<RunDeps, 'journal'>): string {
  return `${deps.journal.state.runId}.`;
}

/** Where init.sh can be found again, with where the session began. */
export function knownInit({ journal }: Pick<RunDeps, 'journal'>, base: string): KnownInit {
  return { base, proved: journal.state.initProvedAt ?? base };
}

export function deadlinesOf({ settings }: Pick<RunDeps, 'settings'>): InitDeadlines {
  return { setupMs: settings.setupMinutes * 60_000, startMs: settings.startSeconds * 1_000 };
}

export function sessionMarker(deps: Pick<RunDeps, 'journal'>, session: number): string {
  return `${markerPrefix(deps)}${deps.journal.generation}.${session}`;
}
