// The events of a streamed answer: made from an answer, written as SSE, and read back from what was sent.

import type Anthropic from '@anthropic-ai/sdk';
import { type Answer, type AnswerBlock, emptyMessage } from './answer.js';
import { awkwardChunks } from './awkward-chunks.js';

export type StreamEvent = Anthropic.RawMessageStreamEvent | { type: 'ping' };

type Delta = Anthropic.RawContentBlockDelta;
type Started = Anthropic.RawContentBlockStartEvent['content_block'];

export function eventsOf(answer: Answer): StreamEvent[] {
  const { usage } = answer;
  const message = { ...emptyMessage(answer), usage: { ...usage, output_tokens: 1 } };
  return [
    { type: 'message_start', message },
    { type: 'ping' },
    ...answer.content.flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: {
        stop_reason: answer.stopReason,
        stop_sequence: answer.stopSequence,
        stop_details: answer.stopDetails,
        container: null,
      },
      usage: {
        input_tokens: usage.input_tokens,
        cache_creation_input_tokens: usage.cache_creation_input_tokens,
        cache_read_input_tokens: usage.cache_read_input_tokens,
        output_tokens: usage.output_tokens,
        output_tokens_details: usage.output_tokens_details,
        server_tool_use: usage.server_tool_use,
      },
    },
    { type: 'message_stop' },
  ];
}

export function sseText(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The events that stand whole in an SSE text; a last one without its end is not there. */
export function readEvents(sse: string): StreamEvent[] {
  return sse
    .split(/\r?\n/)
    .slice(0, -1)
    .filter(line => line.startsWith('data:'))
    .flatMap(line => {
      try {
        return [JSON.parse(line.slice('data:'.length)) as StreamEvent];
      } catch {
        return [];
      }
    });
}

/** The blocks that a stream's events add up to. */
export function contentOf(events: readonly StreamEvent[]): AnswerBlock[] {
  const content: AnswerBlock[] = [];
  for (const event of events) {
    if (event.type === 'content_block_start') content[event.index] = started(event.content_block);
    const block = event.type === 'content_block_delta' ? content[event.index] : undefined;
    if (event.type === 'content_block_delta' && block !== undefined) append(block, event.delta);
  }
  return content.filter(block => block !== undefined);
}

/** Bytes of what a model wrote that one event carries. */
export function writtenBytes(event: StreamEvent): number {
  if (event.type === 'content_block_delta') return Buffer.byteLength(deltaText(event.delta));
  if (event.type !== 'content_block_start') return 0;
  const block = event.content_block;
  if (block.type === 'redacted_thinking') return Buffer.byteLength(block.data);
  return 'name' in block ? Buffer.byteLength(block.name) : 0;
}

function blockEvents(block: AnswerBlock, index: number): StreamEvent[] {
  const { start, deltas } = blockParts(block);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map(delta => ({ type: 'content_block_delta' as const, index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function blockParts(block: AnswerBlock): { start: Started; deltas: Delta[] } {
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '', citations: null },
        deltas: awkwardChunks(block.text).map(text => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...awkwardChunks(block.thinking).map(thinking => ({ type: 'thinking_delta' as const, thinking })),
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'redacted_thinking':
      return { start: block, deltas: [] };
    case 'tool_use': {
      const { id, name } = block;
      return {
        start: { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } },
        deltas: ['', ...awkwardChunks(block.json)].map(piece => ({
          type: 'input_json_delta',
          partial_json: piece,
        })),
      };
    }
  }
}

function started(block: Started): AnswerBlock {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return { ...block };
  if (block.type === 'tool_use') return { type: 'tool_use', id: block.id, name: block.name, json: '' };
  return { type: 'text', text: '' };
}

function append(block: AnswerBlock, delta: Delta): void {
  if (block.type === 'text' && delta.type === 'text_delta') block.text += delta.text;
  if (block.type === 'tool_use' && delta.type === 'input_json_delta') block.json += delta.partial_json;
  if (block.type !== 'thinking') return;
  if (delta.type === 'thinking_delta') block.thinking += delta.thinking;
  if (delta.type === 'signature_delta') block.signature = delta.signature;
}

function deltaText(delta: Delta): string {
  if (delta.type === 'text_delta') return delta.text;
  if (delta.type === 'thinking_delta') return delta.thinking;
  return delta.type === 'input_json_delta' ? delta.partial_json : '';
}
