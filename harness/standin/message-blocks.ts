// Walks the content blocks of a conversation and names each place as the API does in its messages.

import type Anthropic from '@anthropic-ai/sdk';

export type Block = Anthropic.ContentBlockParam;
export type Message = Anthropic.MessageParam;

/** A block that may stand in a tool result. */
export type ResultBlock = Exclude<NonNullable<Anthropic.ToolResultBlockParam['content']>, string>[number];

export interface Located<B> {
  /** `messages.3.content.0`, inside a tool result `messages.3.content.0.tool_result.content.1`. */
  path: string;
  role: Message['role'];
  block: B;
}

/** The content as blocks: a string is short for one text block. */
export function blocksOf(content: string | Block[]): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The content of a tool result as blocks; none when it is absent or the empty string. */
export function resultBlocks(result: Anthropic.ToolResultBlockParam): ResultBlock[] {
  const { content } = result;
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content ?? [];
}

/** Every block of every message, in order; not those inside tool results. */
export function* locatedBlocks(messages: readonly Message[]): Generator<Located<Block>> {
  for (const [index, message] of messages.entries()) {
    for (const [at, block] of blocksOf(message.content).entries()) {
      yield { path: `messages.${index}.content.${at}`, role: message.role, block };
    }
  }
}

/** The same with the blocks inside tool results, each after the block that holds it. */
export function* locatedBlocksDeep(messages: readonly Message[]): Generator<Located<Block | ResultBlock>> {
  for (const located of locatedBlocks(messages)) {
    yield located;
    const { block, path, role } = located;
    if (block.type !== 'tool_result' || typeof block.content === 'string') continue;
    for (const [at, inner] of (block.content ?? []).entries()) {
      yield { path: `${path}.tool_result.content.${at}`, role, block: inner };
    }
  }
}
