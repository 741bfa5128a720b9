// What a session is given, what it reports while it runs, and how it can end.

import type { Clock } from '../base/clock.js';
import type { SessionEndReason } from '../journal/records.js';
import type { Message, Model } from '../model/model.js';
import type { SessionVerdict } from '../tools/tool.js';
import type { ToolSet } from '../tools/tool-set.js';
import type { LimitName, MoneyLeft, SessionLimits } from './limits.js';
import type { LoopGuard } from './loop-guard.js';
import type { Transcript } from './transcript.js';

export interface SessionPlan {
  system: string;
  /** The first user message: role instructions and brief. */
  firstMessage: string;
  model: string;
  /** Most tokens of one answer. */
  maxTokens: number;
  limits: SessionLimits;
}

export interface SessionDeps {
  model: Model;
  tools: ToolSet;
  clock: Clock;
  transcript: Transcript;
  /** Texts that the loop itself says to the model, from `prompts/`. */
  reminders: { unfinished: string; cut: string };
  observer: SessionObserver;
  signal: AbortSignal;
  /** What is left for calls; null when nobody counts. Must not throw. */
  moneyLeft?(): MoneyLeft | null;
}

/** Implementations must not throw. */
export interface SessionObserver {
  turnEnded(turn: { turn: number; stopReason: string; contextTokens: number; tools: string[] }): void;
  toolEnded(call: { turn: number; tool: string; brief: string; ok: boolean; ms: number }): void;
  /** After the calls of a turn: sentences that the model must be told with their results. */
  afterTools(): string[] | Promise<string[]>;
}

/** The conversation so far and the counters by which it may end. */
export interface SessionState {
  readonly plan: SessionPlan;
  messages: Message[];
  turns: number;
  startedAt: number;
  /** In a row. */
  cutAnswers: number;
  badTurns: number;
  pauses: number;
  reminded: boolean;
  /** Limits of which the model was told that they are near. */
  announced: ReadonlySet<LimitName>;
  loop: LoopGuard;
}

export interface SessionEnd {
  reason: SessionEndReason;
  /** One sentence for the next brief and for people. */
  summary: string;
  turns: number;
  verdict: SessionVerdict | null;
}
