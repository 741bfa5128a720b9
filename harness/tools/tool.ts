// What a tool is: what the model reads about it, and a function that runs it.

import type { JSONSchema7 } from 'json-schema';
import type { SessionOutcome } from '../journal/records.js';

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

/**
 * A tool never throws for what a model can mend: bad arguments, missing files and failed commands are results with
 * `isError`. What it throws ends the session as a fault of ours.
 */
export interface Tool {
  readonly name: string;
  /** Written as for a new colleague: what, when, when not, units, limits. Read from `prompts/tools/<name>.md`. */
  readonly description: string;
  /** JSON schema of the input, an object; `additionalProperties: false`. */
  readonly schema: JSONSchema7 & { type: 'object' };
  access(input: unknown): ToolAccess;
  /** `input` has passed `schema`. `signal` aborts when the session is interrupted: end soon and say so. */
  run(input: unknown, signal: AbortSignal): Promise<ToolResult>;
}
