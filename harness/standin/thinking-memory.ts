// Remembers the thinking that the stand-in sent, so that a conversation which changes it is refused.

import type { AnswerBlock } from './answer.js';
import { type Block, blocksOf, type Message } from './message-blocks.js';

type ThinkingBlock = Extract<AnswerBlock, { type: 'thinking' | 'redacted_thinking' }>;

const MODIFIED =
  '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. ' +
  'These blocks must remain as they were in the original response.';

export class ThinkingMemory {
  /** What was thought, by signature; a redacted block is its own signature. */
  readonly #thoughts = new Map<string, string>();
  /** The thinking that came with each tool call, in order. */
  readonly #ofToolUse = new Map<string, string[]>();

  remember(content: readonly AnswerBlock[]): void {
    const lastCall = content.findLastIndex(block => block.type === 'tool_use');
    // What stands behind the last call cannot come back: no answer may end in thinking.
    const beside = content.slice(0, Math.max(lastCall, 0)).filter(isSigned).map(signatureOf);
    for (const block of content) {
      if (isSigned(block)) this.#thoughts.set(signatureOf(block), textOf(block));
      if (block.type === 'tool_use') this.#ofToolUse.set(block.id, beside);
    }
  }

  /** What the API says of thinking that is not as it was sent; undefined when all of it is. */
  problem(messages: readonly Message[], thinkingIsOn: boolean): string | undefined {
    const running = startOfRunningTurn(messages);
    for (const [index, message] of messages.entries()) {
      if (message.role !== 'assistant') continue;
      const blocks = blocksOf(message.content);
      const changed = blocks.findIndex(block => isThinking(block) && this.#complaint(block) !== undefined);
      const block = blocks[changed];
      if (block !== undefined && isThinking(block)) {
        return `messages.${index}.content.${changed}: ${this.#complaint(block)}`;
      }
      const problem = this.#sequenceProblem(blocks, thinkingIsOn && index >= running);
      if (problem !== undefined) return `messages.${index}.content.0${problem}`;
    }
    return undefined;
  }

  #complaint(block: ThinkingBlock): string | undefined {
    const thought = this.#thoughts.get(signatureOf(block));
    if (thought === undefined) return `Invalid \`signature\` in \`${block.type}\` block`;
    return thought === textOf(block) ? undefined : MODIFIED;
  }

  /** Thinking beside a remembered call comes back whole and in order; only an older turn may come without any. */
  #sequenceProblem(blocks: readonly Block[], needed: boolean): string | undefined {
    const call = blocks.find(block => block.type === 'tool_use');
    const sent = call === undefined ? undefined : this.#ofToolUse.get(call.id);
    if (sent === undefined) return undefined;
    const came = blocks.filter(isThinking).map(signatureOf);
    if (came.length === 0 && sent.length > 0 && needed) {
      return '.type: Expected `thinking` or `redacted_thinking`, but found another block: in a running turn the thinking before a `tool_use` block must come back';
    }
    const same = came.length === sent.length && came.every((each, at) => each === sent[at]);
    return came.length === 0 || same ? undefined : `: ${MODIFIED}`;
  }
}

/** Index of the first message after the last one in which the user, not a tool, spoke. */
function startOfRunningTurn(messages: readonly Message[]): number {
  return messages.findLastIndex(
    message =>
      message.role === 'user' && !blocksOf(message.content).some(block => block.type === 'tool_result'),
  );
}

function isThinking<B extends { type: string }>(block: B): block is B & ThinkingBlock {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** Thinking that was cut has no signature and cannot come back. */
function isSigned<B extends { type: string }>(block: B): block is B & ThinkingBlock {
  return isThinking(block) && signatureOf(block) !== '';
}

function signatureOf(block: ThinkingBlock): string {
  return block.type === 'thinking' ? block.signature : `redacted:${block.data}`;
}

function textOf(block: ThinkingBlock): string {
  return block.type === 'thinking' ? block.thinking : '';
}
