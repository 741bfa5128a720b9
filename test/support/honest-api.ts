// A model of the API's accounts that keeps its word: no token is shorter than a byte, no answer longer than `max_tokens`.

import type { Answer, Model, ModelRequest, Usage } from '../../harness/model/model.js';
import { ModelError } from '../../harness/model/model.js';

/** How a call goes. */
export interface HonestTurn {
  /** Shares: how much of the input is written to the cache, how much of the longest answer is used. */
  written: number;
  length: number;
  end: HonestEnd;
}

export const HONEST_ENDS = ['answer', 'no usage', 'refused', 'cut', 'lost', 'aborted', 'bug'] as const;
export type HonestEnd = (typeof HONEST_ENDS)[number];

/** @param onBilled told of what each call really costs, when the API has worked on it. */
export function honestApi(
  tokensPerByte: number,
  onBilled: (sent: ModelRequest, usage: Partial<Usage>) => void = () => {},
) {
  const plays = new Map<unknown, HonestTurn>();
  const aborts = new Map<unknown, () => void>();
  /** Tokens of each answer, by its content. */
  const outputs = new Map<unknown, number>();
  const sizeOf = (messages: ModelRequest['messages']) => {
    const sizes = messages.map(message => {
      const bytes = Buffer.byteLength(JSON.stringify(message));
      return outputs.get(message.content) ?? Math.floor(bytes * tokensPerByte);
    });
    return Math.max(
      1,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  };
  const model: Model = {
    async send(sent, signal, onAborted) {
      const { written: share, length, end } = plays.get(sent.messages) as HonestTurn;
      await null;
      if (end === 'refused') throw new ModelError('overloaded', 'no', { status: 529 });
      const input = sizeOf(sent.messages);
      const written = Math.floor(input * share);
      const output = Math.max(1, Math.floor(sent.maxTokens * length));
      const usage = {
        input_tokens: 0,
        cache_creation_input_tokens: written,
        cache_read_input_tokens: input - written,
        output_tokens: output,
      };
      const part = { usage: { ...usage, output_tokens: 1 }, receivedBytes: output * 3, billable: true };
      // Of what nothing came back nothing can be known but the input.
      const isSilent = end === 'lost' || end === 'bug';
      onBilled(sent, isSilent ? { ...usage, output_tokens: 0 } : usage);
      if (end === 'cut') throw new ModelError('network', 'cut', part);
      if (end === 'lost') throw new ModelError('network', 'lost', { billable: true });
      if (end === 'bug') throw new TypeError('bug');
      if (end === 'aborted') {
        aborts.get(sent.messages)?.();
        onAborted?.(part);
        throw signal.reason;
      }
      const content = [{ type: 'text', text: 'y'.repeat(output) }];
      outputs.set(content, output);
      const reported = end === 'no usage' ? {} : usage;
      return { content, stop_reason: 'end_turn', usage: reported } as unknown as Answer;
    },
  };
  return {
    model,
    count: async (sent: ModelRequest) => sizeOf(sent.messages),
    play: (sent: ModelRequest, turn: HonestTurn) => plays.set(sent.messages, turn),
    onAbort: (sent: ModelRequest, stop: () => void) => aborts.set(sent.messages, stop),
  };
}
