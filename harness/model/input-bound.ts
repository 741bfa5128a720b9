// The most input tokens that a request can have, known without asking anybody.

import { isDeepStrictEqual } from 'node:util';
import { imageTokens } from './image-tokens.js';
import { isRecord } from './is-record.js';
import type { Answer, Message, ModelRequest } from './model.js';
import { hiddenTokens } from './trained-tools.js';
import { inputTokens, tokenCounts } from './usage.js';

/** The last request of a conversation whose size the API reported. */
export interface Reported {
  request: Pick<ModelRequest, 'model' | 'system' | 'tools' | 'messages'>;
  inputTokens: number;
  /** Null when the answer broke off: the next request has nothing of it. */
  answer: { content: Answer['content']; outputTokens: number } | null;
}

/** What the API adds around tools and messages by itself: some hundred tokens. */
const FRAME_TOKENS = 1_000;

/**
 * The bound: the reported size of what was there before plus the UTF-8 bytes of what is new, since no token is shorter
 * than a byte. All of it counts as new when nothing was reported or when what was there before has changed.
 */
export function inputBound(previous: Reported | undefined, request: ModelRequest): number {
  if (!previous || !continues(previous.request, request)) {
    const { system, tools, messages } = request;
    return FRAME_TOKENS + hiddenTokens(tools) + mostTokens([system, tools, messages]);
  }
  const added = request.messages.slice(previous.request.messages.length);
  return previous.inputTokens + answerTokens(previous.answer, added[0]) + mostTokens(added.slice(1));
}

/** What to remember of an answered request; undefined when the API reported no size, so that bytes count again. */
export function reportedBy(request: ModelRequest, answer: Answer): Reported | undefined {
  const { output } = tokenCounts(answer.usage);
  const sent = inputTokens(answer.usage);
  if (sent === 0 || output === 0) return undefined;
  return snapshot(request, sent, { content: answer.content, outputTokens: output });
}

/** The same after an answer that broke off: its size was reported when it began. */
export function reportedByStart(request: ModelRequest, usage: Parameters<typeof inputTokens>[0]) {
  const sent = inputTokens(usage);
  return sent === 0 ? undefined : snapshot(request, sent, null);
}

/** UTF-8 bytes of a value as JSON, pictures counted by their size instead. */
export function mostTokens(value: unknown): number {
  let pictures = 0;
  const json = JSON.stringify(value, (_, part: unknown) => {
    if (!isRecord(part) || part.type !== 'image' || !isRecord(part.source)) return part;
    pictures += imageTokens(typeof part.source.data === 'string' ? part.source.data : undefined);
    return { type: 'image' };
  });
  return Buffer.byteLength(json) + pictures;
}

function snapshot(request: ModelRequest, sent: number, answer: Reported['answer']): Reported {
  const { model, system, tools, messages } = request;
  return { request: { model, system, tools, messages: [...messages] }, inputTokens: sent, answer };
}

/** The request begins with all of the earlier one. Comparing is quick: most parts are the same objects. */
function continues(earlier: Reported['request'], request: ModelRequest): boolean {
  return (
    earlier.model === request.model &&
    isDeepStrictEqual(earlier.system, request.system) &&
    isDeepStrictEqual(earlier.tools, request.tools) &&
    earlier.messages.length <= request.messages.length &&
    earlier.messages.every((message, at) => isDeepStrictEqual(message, request.messages[at]))
  );
}

/** The first message after the earlier request: the answer as it was reported, or something else. */
function answerTokens(answer: Reported['answer'], message: Message | undefined): number {
  if (!message) return 0;
  if (message.role !== 'assistant' || !answer) return mostTokens(message);
  if (isDeepStrictEqual(message.content, answer.content)) return answer.outputTokens;
  // Changed by the caller. Thinking may be longer than what stands there for it, so what was reported counts as well.
  return answer.outputTokens + mostTokens(message);
}
