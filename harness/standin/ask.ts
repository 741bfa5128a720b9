// Reads a request as a scenario sees it.

import type Anthropic from '@anthropic-ai/sdk';
import { blocksOf, type Message, resultBlocks } from './message-blocks.js';
import type { Ask } from './scenario.js';

/** The line of a brief that names the feature; no other word may stand in it. */
const FEATURE_LINE = /^Feature: (\S+)[ \t]*$/m;

export function askOf(body: Anthropic.MessageCreateParams, count: number): Ask {
  const first = body.messages.find(message => message.role === 'user');
  const last = body.messages.findLast(message => message.role === 'user');
  const brief = first === undefined ? '' : textOf(blocksOf(first.content));
  return {
    count,
    body,
    brief,
    feature: FEATURE_LINE.exec(brief)?.[1] ?? null,
    turn: body.messages.filter(message => message.role === 'assistant').length,
    results: last === undefined ? [] : resultsOf(last),
  };
}

function resultsOf(message: Message): Ask['results'] {
  return blocksOf(message.content).flatMap((block): Ask['results'] => {
    if (block.type === 'text') return [{ toolUseId: null, text: block.text, isError: false }];
    if (block.type !== 'tool_result') return [];
    const text = textOf(resultBlocks(block));
    return [{ toolUseId: block.tool_use_id, text, isError: block.is_error === true }];
  });
}

function textOf(blocks: readonly { type: string }[]): string {
  return blocks
    .filter((block): block is Anthropic.TextBlockParam => block.type === 'text')
    .map(block => block.text)
    .join('\n');
}
