// The real SDK against a stand-in, and requests small enough to read.

import Anthropic from '@anthropic-ai/sdk';
import type { Standin } from '../../harness/standin/server.js';

export const MODEL = 'claude-sonnet-5-5';

export type Params = Anthropic.MessageCreateParamsNonStreaming;

/** One line of a conversation. */
export const user = (content: Anthropic.MessageParam['content']): Anthropic.MessageParam => ({
  role: 'user',
  content,
});
export const assistant = (content: Anthropic.MessageParam['content']): Anthropic.MessageParam => ({
  role: 'assistant',
  content,
});

export function clientOf(standin: Standin, options: { apiKey?: string } = {}): Anthropic {
  return new Anthropic({ apiKey: 'a-key', ...options, baseURL: standin.url, maxRetries: 0, logLevel: 'off' });
}

export function params(extra: Partial<Params> = {}): Params {
  return { model: MODEL, max_tokens: 1000, messages: [user('Hello.')], ...extra };
}

/** Streams one request to its end. */
export function ask(standin: Standin, extra: Partial<Params> = {}) {
  return clientOf(standin).messages.stream(params(extra)).finalMessage();
}

/** Posts a body as it is; for what the SDK would never send. */
export async function post(standin: Standin, body: unknown, path = '/v1/messages') {
  const response = await fetch(standin.url + path, {
    method: 'POST',
    headers: { 'x-api-key': 'a-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}
