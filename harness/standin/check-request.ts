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

/** What a server takes where another one takes more: a gateway, an older API, an account with few rights. */
export interface Accepts {
  /** Default: any key. */
  keys?: readonly string[];
  /** Tool types whose schema the API knows. Default: all of them. */
  toolTypes?: readonly string[];
}

export interface Checks {
  endpoint: Endpoint;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  models: readonly StandinModel[];
  memory: ThinkingMemory;
  accepts: Accepts;
}

export function checkRequest(checks: Checks): CheckedRequest | { error: ApiError } {
  const wrongKey = keyProblem(checks.headers, checks.accepts);
  if (wrongKey !== undefined) return { error: wrongKey };
  if (checks.headers['anthropic-version'] === undefined)
    return refused('anthropic-version: header is required');
  const read = readBodyText(checks.bytes);
  if ('error' in read) return read;
  const misshapen = shapeProblem(checks.endpoint, read.value);
  if (misshapen !== undefined) return refused(misshapen);

  const body = read.value as Anthropic.MessageCreateParams; // the shape has just been checked
  const strange = strangeTool(body, checks.accepts);
  if (strange !== undefined) return refused(strange);
  const model = checks.models.find(each => each.id === body.model);
  if (model === undefined) return { error: apiError('not_found_error', `model: ${body.model}`) };
  const segments = segmentsOf(body);
  const problem = problemOf({ body, model, segments, memory: checks.memory });
  if (problem !== undefined) return refused(problem);
  const owner = createHash('sha256')
    .update(`${apiKey(checks.headers)}\n${model.id}`)
    .digest('hex');
  return { body, segments, owner };
}

/** Why a request's key is not taken. */
export function keyProblem(headers: IncomingHttpHeaders, { keys }: Accepts): ApiError | undefined {
  const key = apiKey(headers);
  if (key === undefined) return apiError('authentication_error', 'x-api-key header is required');
  return keys && !keys.includes(key) ? apiError('authentication_error', 'invalid x-api-key') : undefined;
}

/** The key that a request came with, in either header. */
function apiKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return bearer ?? ([headers['x-api-key']].flat()[0] || undefined);
}

function strangeTool(
  { tools = [] }: Anthropic.MessageCreateParams,
  { toolTypes }: Accepts,
): string | undefined {
  if (!toolTypes) return undefined;
  const at = tools.findIndex(({ type }) => type && type !== 'custom' && !toolTypes.includes(type));
  const expected = [...toolTypes, 'custom'].map(type => `'${type}'`).join(', ');
  return at === -1
    ? undefined
    : `tools.${at}: Input tag '${tools[at]?.type}' found using 'type' does not match any of the expected tags: ${expected}`;
}

function refused(message: string): { error: ApiError } {
  return { error: apiError('invalid_request_error', message) };
}
