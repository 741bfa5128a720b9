// Decides whether the API would take a request: its key, its bytes, its shape, its model, its rules.

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type Anthropic from '@anthropic-ai/sdk';
import { type ApiError, apiError } from './api-error.js';
import type { StandinModel } from './models.js';
import { type Segment, segmentsOf } from './prompt-segments.js';
import { type Endpoint, shapeProblem } from './request-shape.js';
import { readBodyText } from './request-text.js';
import { problemOf } from './strictness.js';
import type { ThinkingMemory } from './thinking-memory.js';

export interface CheckedRequest {
  body: Anthropic.MessageCreateParams;
  segments: Segment[];
  /** Who asks, of which model: the cache of one is closed to others. */
  owner: string;
}

export interface Checks {
  endpoint: Endpoint;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  models: readonly StandinModel[];
  memory: ThinkingMemory;
}

export function checkRequest(checks: Checks): CheckedRequest | { error: ApiError } {
  const key = apiKey(checks.headers);
  if (key === undefined) return { error: missingKey() };
  if (checks.headers['anthropic-version'] === undefined)
    return refused('anthropic-version: header is required');
  const read = readBodyText(checks.bytes);
  if ('error' in read) return read;
  const misshapen = shapeProblem(checks.endpoint, read.value);
  if (misshapen !== undefined) return refused(misshapen);

  const body = read.value as Anthropic.MessageCreateParams; // the shape has just been checked
  const model = checks.models.find(each => each.id === body.model);
  if (model === undefined) return { error: apiError('not_found_error', `model: ${body.model}`) };
  const segments = segmentsOf(body);
  const problem = problemOf({ body, model, segments, memory: checks.memory });
  if (problem !== undefined) return refused(problem);
  const owner = createHash('sha256').update(`${key}\n${model.id}`).digest('hex');
  return { body, segments, owner };
}

/** The key that a request came with, in either header. */
export function apiKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return bearer ?? ([headers['x-api-key']].flat()[0] || undefined);
}

export function missingKey(): ApiError {
  return apiError('authentication_error', 'x-api-key header is required');
}

function refused(message: string): { error: ApiError } {
  return { error: apiError('invalid_request_error', message) };
}
