// A request as the API wants it, with the two cache breakpoints: after system and tools, and after the last block.

import type Anthropic from '@anthropic-ai/sdk';
import type { ContentBlock, Message, ModelRequest } from './model.js';

const BREAKPOINT: Anthropic.CacheControlEphemeral = { type: 'ephemeral' };

/** The API refuses a breakpoint on these, and on text without characters. */
const UNCACHEABLE: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking']);

export type PromptBody = Pick<Anthropic.MessageCreateParams, 'model' | 'system' | 'tools' | 'messages'>;

/** Everything that is read by the model. The caller's objects stay as they are: breakpoints are set on copies. */
export function promptBody(request: ModelRequest): PromptBody {
  const { model, system, tools, messages } = request;
  return {
    model,
    ...(system.length > 0 ? { system: withLast(system, marked) } : {}),
    // Tools come before system in the cached prefix, so they need a breakpoint of their own only without it.
    ...(tools.length > 0 ? { tools: system.length > 0 ? tools : withLast(tools, marked) } : {}),
    messages: withLast(messages, markedMessage),
  };
}

export function streamBody(request: ModelRequest): Anthropic.MessageCreateParamsStreaming {
  return { ...promptBody(request), max_tokens: request.maxTokens, stream: true };
}

function markedMessage(message: Message): Message {
  const blocks: ContentBlock[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const last = blocks.findLastIndex(isCacheable);
  if (last < 0) return message;
  return { ...message, content: blocks.map((block, at) => (at === last ? marked(block) : block)) } as Message;
}

function isCacheable(block: ContentBlock): boolean {
  return !UNCACHEABLE.has(block.type) && !(block.type === 'text' && block.text === '');
}

function marked<T extends object>(block: T): T {
  return { ...block, cache_control: BREAKPOINT };
}

function withLast<T>(items: T[], change: (item: T) => T): T[] {
  return items.map((item, at) => (at === items.length - 1 ? change(item) : item));
}
