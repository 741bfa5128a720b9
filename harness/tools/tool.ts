// What a tool is: what the model reads about it, and a function that runs it.

import type { JSONSchema7 } from 'json-schema';
import type { SessionOutcome } from '../journal/records.js';
import type { TrainedDefinition } from '../model/trained-tools.js';

/** What the model reads of a result: text, and pictures where a tool makes them. */
export interface ToolResult {
  /** Never empty: the API refuses blank text. */
  text: string;
  /** True when the call failed. The text then says what would have worked. */
  isError?: boolean;
  /** PNG pictures, base64. */
  images?: string[];
  /** Set by a tool that ends the session. */
  end?: SessionVerdict;
}

/** Why a tool ends its session. */
export type SessionVerdict =
  | { kind: 'finished'; outcome: SessionOutcome; summary: string; blockedBy: string[] }
  | { kind: 'feature_verified'; feature: string };

/** How a call may be scheduled beside others of the same turn: reads at the same time, writes in order. */
export type ToolAccess = 'read' | 'write';

export type InputSchema = JSONSchema7 & { type: 'object' };

/** What the model reads about a tool. It is the same in all sessions, whatever the tool works on. */
export interface ToolFace {
  readonly name: string;
  /** Written as for a new colleague: what, when, when not, units, limits. Read from `prompts/tools/<name>.md`. */
  readonly description: string;
  /** JSON schema of the input, an object; `additionalProperties: false`. Every call is checked against it. */
  readonly schema: InputSchema;
  /** What is sent as its schema, where more is taken than told. */
  readonly toldSchema?: InputSchema;
  /** The definition that the models were trained on, where there is one: its calls pass `schema` too. */
  readonly trained?: TrainedDefinition & { name: string };
}

/**
 * A tool never throws for what a model can mend: bad arguments, missing files and failed commands are results with
 * `isError`. What it throws ends the session as a fault of ours.
 */
export interface Tool extends ToolFace {
  access(input: unknown): ToolAccess;
  /** `input` has passed `schema`. `signal` aborts when the session is interrupted: end soon and say so. */
  run(input: unknown, signal: AbortSignal): Promise<ToolResult>;
}
