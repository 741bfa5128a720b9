// An answer as it may go back in the next request: the API refuses to take back some of what it, or a gateway, sends. Pure.

import { wellFormed } from '../base/well-formed.js';
import type { Answer, Message } from '../model/model.js';

type Block = Answer['content'][number];

/**
 * `answer` without what would spoil the conversation that it joins: blank text, thinking that was cut before its
 * signature or stands last, names and ids that no call may have, half characters. Thinking itself is never changed.
 */
export function sendableAnswer(answer: Answer, messages: readonly Message[]): Answer {
  const taken = callIdsIn(messages);
  const kept = answer.content
    .filter(block => !isBlank(block) && !isUnsigned(block))
    .map(block => (isThinking(block) ? block : wellFormed(withGoodCall(block, taken))));
  // A paused answer is not at its end: it goes back as it came.
  const content = answer.stop_reason === 'pause_turn' ? kept : withoutLastThoughts(kept);
  return { ...answer, content };
}

function isBlank(block: Block): boolean {
  return block.type === 'text' && block.text.trim() === '';
}

/** The signature comes last, so thinking that reached the length limit has none. */
function isUnsigned(block: Block): boolean {
  return block.type === 'thinking' && !block.signature;
}

function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function withoutLastThoughts(blocks: Block[]): Block[] {
  return blocks.slice(0, blocks.findLastIndex(block => !isThinking(block)) + 1);
}

const LONGEST_NAME = 128;

function withGoodCall(block: Block, taken: Set<string>): Block {
  if (block.type !== 'tool_use') return block;
  const name = block.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST_NAME);
  const id = freeId(block.id.replace(/[^a-zA-Z0-9_-]/g, '_'), taken);
  taken.add(id);
  return { ...block, name, id };
}

/** Some gateways number the calls of each answer from one. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  for (let copy = 1; ; copy++) {
    const candidate = copy === 1 ? id : `${id}_${copy}`;
    if (!taken.has(candidate)) return candidate;
  }
}

function callIdsIn(messages: readonly Message[]): Set<string> {
  return new Set(
    messages.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : content.flatMap(block => (block.type === 'tool_use' ? [block.id] : [])),
    ),
  );
}
