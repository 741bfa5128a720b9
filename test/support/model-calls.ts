// Calls of the client against a raw server, and the events that answers are made of.

import { expect } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { type AnthropicModelOptions, anthropicModel } from '../../harness/model/anthropic-model.js';
import { ModelError, type ModelRequest } from '../../harness/model/model.js';

export const KEY = 'sk-test-0123456789';
export const REQUEST: ModelRequest = {
  model: 'claude-sonnet-4-6',
  maxTokens: 8192,
  system: [{ type: 'text', text: 'You build an app.' }],
  tools: [{ name: 'bash', input_schema: { type: 'object' } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Feature: F-001' }] }],
};

export function modelAt(url: string, options: Partial<AnthropicModelOptions> = {}) {
  return anthropicModel({
    apiKey: KEY,
    baseUrl: url,
    clock: systemClock,
    idleLimitMs: 5_000,
    totalLimitMs: 10_000,
    ...options,
  });
}

export const never = new AbortController().signal;

/** The error of a call that must fail. */
export async function failure(call: Promise<unknown>): Promise<ModelError> {
  const error = await call.then(
    value => new Error(`it was answered: ${JSON.stringify(value)}`),
    reason => reason,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

export function events(...list: object[]): string {
  return list
    .map(event => `event: ${'type' in event ? event.type : 'x'}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

export const START = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    usage: { input_tokens: 100, output_tokens: 1 },
  },
};
export const TEXT = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
];
export const DONE = [
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 7 },
  },
  { type: 'message_stop' },
];
