// Tokens as the API reports them, made safe to add up: what is missing, null, negative or not a number counts as nothing.

import type { TokenCounts } from '../journal/records.js';
import { isRecord } from './is-record.js';
import type { Usage } from './model.js';

/** Tokens by price: cache writes are dearer the longer they live. */
export interface BilledTokens {
  input: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  cacheRead: number;
  output: number;
}

export function billedTokens(usage: Partial<Usage> | null | undefined): BilledTokens {
  const for1h = tokens(usage?.cache_creation?.ephemeral_1h_input_tokens);
  const for5m = tokens(usage?.cache_creation?.ephemeral_5m_input_tokens);
  // The split may be missing or incomplete; what it leaves open has the default lifetime.
  const written = Math.max(tokens(usage?.cache_creation_input_tokens), for1h + for5m);
  return {
    input: tokens(usage?.input_tokens),
    cacheWrite5m: written - for1h,
    cacheWrite1h: for1h,
    cacheRead: tokens(usage?.cache_read_input_tokens),
    output: tokens(usage?.output_tokens),
  };
}

/** The four numbers that the journal keeps. */
export function tokenCounts(usage: Partial<Usage> | null | undefined): TokenCounts {
  const { input, cacheWrite5m, cacheWrite1h, cacheRead, output } = billedTokens(usage);
  return { input, output, cacheRead, cacheWrite: cacheWrite5m + cacheWrite1h };
}

/** Size of what was sent: cached tokens are tokens too. */
export function inputTokens(usage: Partial<Usage> | null | undefined): number {
  const { input, cacheWrite, cacheRead } = tokenCounts(usage);
  return input + cacheWrite + cacheRead;
}

/** Size of the conversation after an answer: all that was sent and all that was said. */
export function contextTokens(usage: Partial<Usage> | null | undefined): number {
  return inputTokens(usage) + tokenCounts(usage).output;
}

/**
 * A later report over an earlier one of the same answer. Reports are running totals: the last one counts and nothing is
 * added up. A field that the later one lacks, or gives as zero, keeps its earlier value.
 */
export function mergeUsage(earlier: Partial<Usage> | undefined, later: unknown): Partial<Usage> {
  const merged: Record<string, unknown> = { ...earlier };
  for (const [field, value] of Object.entries(isRecord(later) ? later : {})) {
    if (value === null || value === undefined) continue;
    if (field.endsWith('_tokens') && tokens(value) === 0 && field in merged) continue;
    merged[field] = value;
  }
  return merged;
}

/** A whole usage: every field is there, every count a number. */
export function completeUsage(usage: Partial<Usage> | undefined): Usage {
  return {
    cache_creation: null,
    inference_geo: null,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: null,
    speed: null,
    ...usage,
    input_tokens: tokens(usage?.input_tokens),
    output_tokens: tokens(usage?.output_tokens),
    cache_creation_input_tokens: tokens(usage?.cache_creation_input_tokens),
    cache_read_input_tokens: tokens(usage?.cache_read_input_tokens),
  };
}

function tokens(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return 0;
  return Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER);
}
