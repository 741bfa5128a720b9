// Usage as the API reports it, and what a request is billed for when its answer did not arrive whole.

import type Anthropic from '@anthropic-ai/sdk';
import type { CacheUse } from './prompt-cache.js';
import { type StreamEvent, writtenBytes } from './stream-events.js';
import { outputTokens } from './tokens.js';

export type Usage = Anthropic.Usage;

/** Usage of a prompt before the first word of its answer. */
export function promptUsage(use: CacheUse): Usage {
  return {
    input_tokens: use.uncached,
    cache_creation_input_tokens: use.written['5m'] + use.written['1h'],
    cache_read_input_tokens: use.read,
    cache_creation: {
      ephemeral_5m_input_tokens: use.written['5m'],
      ephemeral_1h_input_tokens: use.written['1h'],
    },
    output_tokens: 1,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: 'standard',
  };
}

/**
 * What a stream is billed for: its prompt as `whole` reports it, and the answer as far as it was `sent`. Once the closing
 * usage is out, that counts; before, the tokens of the deltas that went out. Undefined for a stream that reports nothing.
 */
export function billedUsage(whole: readonly StreamEvent[], sent: readonly StreamEvent[]): Usage | undefined {
  const start = whole.find(event => event.type === 'message_start');
  if (start === undefined) return undefined;
  const reported: Usage = { ...promptUsage(NO_USE), ...start.message.usage };
  const closing = sent.filter(event => event.type === 'message_delta');
  if (closing.length === 0) {
    const written = sent.reduce((sum, event) => sum + writtenBytes(event), 0);
    return { ...reported, output_tokens: Math.max(reported.output_tokens, outputTokens(written)) };
  }
  return Object.assign(reported, ...closing.map(event => known(event.usage)));
}

const NO_USE: CacheUse = { read: 0, written: { '5m': 0, '1h': 0 }, uncached: 0 };

/** The closing usage repeats what it knows; a null in it takes nothing back. */
function known(usage: object): Partial<Usage> {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null));
}
