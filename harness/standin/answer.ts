// The message that answers a request: what a reply says, cut where the request's max_tokens ends it.

import type Anthropic from '@anthropic-ai/sdk';
import type { Reply, ReplyBlock } from './scenario.js';
import { BYTES_PER_TOKEN, outputTokens } from './tokens.js';

export type MessageReply = Extract<Reply, { kind: 'message' }>;

/** A block of an answer; the input of a tool call is still the text that is streamed. */
export type AnswerBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; json: string };

export interface Answer {
  id: string;
  model: string;
  content: AnswerBlock[];
  stopReason: Anthropic.StopReason;
  stopSequence: string | null;
  stopDetails: Anthropic.RefusalStopDetails | null;
  usage: Anthropic.Usage;
}

export interface AnswerInput {
  body: Anthropic.MessageCreateParams;
  /** Usage of the prompt; the answer's own tokens are added. */
  promptUsage: Anthropic.Usage;
  /** Makes the ids of this answer differ from all others. */
  seed: string;
}

export function answerOf(reply: MessageReply, { body, promptUsage, seed }: AnswerInput): Answer {
  const whole = reply.content.map((block, index) => answerBlock(block, `toolu_${seed}${index}`));
  const { content, truncated } = fitted(whole, body.max_tokens * BYTES_PER_TOKEN);
  const asked =
    reply.stopReason ?? (content.some(block => block.type === 'tool_use') ? 'tool_use' : 'end_turn');
  const stopReason = truncated ? 'max_tokens' : asked;
  const written = content.reduce((sum, block) => sum + bytesOf(block), 0);
  return {
    id: `msg_${seed}`,
    model: body.model,
    content,
    stopReason,
    stopSequence: stopReason === 'stop_sequence' ? (body.stop_sequences?.[0] ?? null) : null,
    stopDetails: reply.stopDetails ?? null,
    usage: { ...promptUsage, output_tokens: outputTokens(written), ...reply.usage },
  };
}

/** The answer as one JSON message, for a request that does not stream. */
export function wholeMessage(answer: Answer): Anthropic.Message {
  return {
    ...emptyMessage(answer),
    content: answer.content.map(contentBlock),
    stop_reason: answer.stopReason,
    stop_sequence: answer.stopSequence,
    stop_details: answer.stopDetails,
  };
}

/** The message as it begins: nothing said yet. */
export function emptyMessage(answer: Answer): Anthropic.Message {
  return {
    id: answer.id,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content: [],
    container: null,
    diagnostics: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: answer.usage,
  };
}

function answerBlock(block: ReplyBlock, id: string): AnswerBlock {
  if (block.type !== 'tool_use') return block;
  return {
    type: 'tool_use',
    id: block.id ?? id,
    name: block.name,
    json: block.json ?? JSON.stringify(block.input ?? {}),
  };
}

function contentBlock(block: AnswerBlock): Anthropic.ContentBlock {
  if (block.type === 'text') return { ...block, citations: null };
  if (block.type !== 'tool_use') return block;
  const { id, name } = block;
  return { type: 'tool_use', id, name, input: parsedOrEmpty(block.json), caller: { type: 'direct' } };
}

/** Input that breaks off reaches a client that does not stream as an empty object. */
function parsedOrEmpty(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

function fitted(
  blocks: readonly AnswerBlock[],
  most: number,
): { content: AnswerBlock[]; truncated: boolean } {
  const content: AnswerBlock[] = [];
  let left = most;
  for (const block of blocks) {
    const bytes = bytesOf(block);
    if (bytes > left) return { content: [...content, ...shortened(block, left)], truncated: true };
    content.push(block);
    left -= bytes;
  }
  return { content, truncated: false };
}

/** As much of a block as fits: nothing at all when not even its frame does. */
function shortened(block: AnswerBlock, bytes: number): AnswerBlock[] {
  if (block.type === 'text') return bytes === 0 ? [] : [{ ...block, text: headOf(block.text, bytes) }];
  if (block.type !== 'tool_use') return [];
  const left = bytes - Buffer.byteLength(block.name);
  return left < 0 ? [] : [{ ...block, json: headOf(block.json, left) }];
}

/** The longest head of `text` that fits in `bytes` and does not split a character. */
function headOf(text: string, bytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}

function bytesOf(block: AnswerBlock): number {
  if (block.type === 'text') return Buffer.byteLength(block.text);
  if (block.type === 'thinking') return Buffer.byteLength(block.thinking);
  if (block.type === 'redacted_thinking') return Buffer.byteLength(block.data);
  return Buffer.byteLength(block.name) + Buffer.byteLength(block.json);
}
