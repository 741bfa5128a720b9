// The Messages API through Anthropic's SDK: one attempt, streamed, watched, and whole or refused. Nothing is tried twice.
//
// It reads the raw event stream (`messages.create` with `stream: true`), which the SDK's `messages.stream` wraps: the
// wrapper repairs half JSON, hides pings, and fails on an end of answer without usage.

import type Anthropic from '@anthropic-ai/sdk';
import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import { DEFAULT_API } from './api-address.js';
import { BrokenAnswer } from './assemble-answer.js';
import { Attempt, type AttemptOptions } from './attempt.js';
import { type Answer, type Model, ModelError, type ModelRequest } from './model.js';
import { promptBody, streamBody } from './request-body.js';
import type { StreamLimits } from './stream-watchdog.js';
import { untimedFetchOptions } from './untimed-fetch.js';

export interface AnthropicModelOptions extends AttemptOptions {
  baseUrl?: string | undefined;
  /** Longest silence in an answer, ms; default 10 minutes. */
  idleLimitMs?: number | undefined;
  /** Longest time for an answer, ms; default 30 minutes. */
  totalLimitMs?: number | undefined;
}

export interface AnthropicModel extends Model {
  /** Input tokens of a request, counted by the API free of charge. Its documentation calls them an estimate. */
  countTokens(request: ModelRequest, signal: AbortSignal): Promise<number>;
}

/** Counting is quick or not worth waiting for. */
const COUNT_LIMITS: StreamLimits = { idleLimitMs: 30_000, totalLimitMs: 60_000 };
/** How long a connection may stay open after `message_stop`. */
const LINGER_MS = 250;
/** The SDK insists on a timer up to the first header. Ours are shorter; this is the longest that a timer can be. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

/** Loading the SDK takes a quarter of a second, so it begins here and is awaited by the first request. */
export function anthropicModel(options: AnthropicModelOptions): AnthropicModel {
  const client = makeClient(options);
  // A failure to load is told by the first request.
  client.catch(() => {});
  const limits = {
    idleLimitMs: options.idleLimitMs ?? 600_000,
    totalLimitMs: options.totalLimitMs ?? 1_800_000,
  };
  return {
    send: async (request, signal, onAborted) => {
      const sdk = await client;
      const attempt = new Attempt(options, limits);
      return attempt.run(signal, onAborted, abort => stream(sdk, request, attempt, abort));
    },
    countTokens: async (request, signal) => {
      const sdk = await client;
      const attempt = new Attempt(options, COUNT_LIMITS);
      return attempt.run(signal, undefined, abort => count(sdk, request, attempt, abort));
    },
  };
}

async function makeClient({ apiKey, baseUrl }: AnthropicModelOptions): Promise<Anthropic> {
  const { default: Sdk } = await import('@anthropic-ai/sdk').catch(cause => {
    throw new ModelError('invalid', `The SDK cannot be loaded: ${messageOf(cause)}`, { cause });
  });
  // Key and address are passed in, so that they are not looked for in the environment or in a profile.
  return new Sdk({
    apiKey,
    baseURL: baseUrl || DEFAULT_API,
    webhookKey: null,
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    logLevel: 'off',
    fetchOptions: untimedFetchOptions(),
  });
}

async function stream(
  sdk: Anthropic,
  request: ModelRequest,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Answer> {
  const events = await sdk.messages.create(streamBody(request), attempt.requestOptions(signal));
  const iterator = events[Symbol.asyncIterator]();
  while (!attempt.answer.ended) {
    const { value, done } = await iterator.next();
    if (done) break;
    attempt.answer.push(value);
  }
  void hangUp(events, iterator, attempt.clock);
  return attempt.answer.finish();
}

/** Lets the stream end by itself, so that its connection can be used again, but does not wait long for it. */
async function hangUp(
  events: { controller: AbortController },
  iterator: AsyncIterator<unknown>,
  clock: Clock,
): Promise<void> {
  const ended = new AbortController();
  const rest = iterator.next().catch(() => ({ done: true }));
  const first = await Promise.race([
    rest,
    clock.sleep(LINGER_MS, ended.signal).catch(() => ({ done: true })),
  ]);
  ended.abort();
  if (!first?.done) events.controller.abort();
}

async function count(
  sdk: Anthropic,
  request: ModelRequest,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<number> {
  const counted = await sdk.messages.countTokens(promptBody(request), attempt.requestOptions(signal));
  const { input_tokens: tokens } = counted;
  if (Number.isInteger(tokens) && tokens > 0) return tokens;
  throw new BrokenAnswer('the count of tokens is not a number');
}
