// The model as the rest of the harness sees it: an interface of one method, and what can go wrong with it.

import type Anthropic from '@anthropic-ai/sdk';
import type { TrainedDefinition } from './trained-tools.js';

export type Message = Anthropic.MessageParam;
export type ContentBlock = Anthropic.ContentBlockParam;
/** With a schema of ours, or of a type whose schema the API knows. */
export type ToolDefinition = Anthropic.Tool | TrainedDefinition;
export type Usage = Anthropic.Usage;
/** A complete answer: it had `message_stop` and a stop reason. */
export type Answer = Anthropic.Message;

export interface ModelRequest {
  model: string;
  /** Most tokens of the answer. A budget may lower it. */
  maxTokens: number;
  system: Anthropic.TextBlockParam[];
  tools: ToolDefinition[];
  /** A message is never changed in place once it was sent: what it costs is told by what was there before. */
  messages: Message[];
}

/**
 * Implementations reject with `ModelError` alone (or the signal's reason when aborted) and never return an answer that
 * was cut off: a tool call must not run from one. Answers that end in `max_tokens`, `model_context_window_exceeded` or
 * `refusal` are whole as answers, but their last tool call may be cut: none of their tool calls may run.
 *
 * `onAborted` is called at most once, before the rejection, when the signal ended a call that had begun: the signal's
 * reason cannot say what was spent, and somebody has to account for it. Decorators pass it on.
 */
export interface Model {
  send(
    request: ModelRequest,
    signal: AbortSignal,
    onAborted?: (partial: PartialCall) => void,
  ): Promise<Answer>;
}

/** What is known of a call that broke off, for whoever pays for it. */
export interface PartialCall {
  /** What the API had already counted when the answer broke off; undefined when it never answered. */
  readonly usage: Partial<Usage> | undefined;
  /** UTF-8 bytes of answer text that had arrived when it broke off: an upper bound of their tokens. */
  readonly receivedBytes: number;
  /** The API may have worked on this request, so it may be billed. False for refusals and failed connections. */
  readonly billable: boolean;
}

/** Why a request failed, by what the caller should do about it. */
export type ModelFault =
  | 'rate_limit' // wait as told
  | 'overloaded' // wait: 5xx, 529, also as an event inside a stream
  | 'network' // wait: refused, reset, DNS, a stream that was cut or fell silent, an answer that is not the API's
  | 'auth' // a person must act: key missing, wrong or without permission
  | 'billing' // a person must act: credit, spend limit
  | 'model' // a person must act: no such model
  | 'too_long' // the conversation does not fit
  | 'invalid'; // the API refused the request as malformed: a bug of ours

export class ModelError extends Error implements PartialCall {
  readonly fault: ModelFault;
  readonly status: number | undefined;
  /** How long the API asked us to wait, ms; undefined when it did not say. */
  readonly retryAfterMs: number | undefined;
  readonly usage: Partial<Usage> | undefined;
  readonly receivedBytes: number;
  readonly billable: boolean;

  constructor(
    fault: ModelFault,
    message: string,
    details: {
      status?: number | undefined;
      retryAfterMs?: number | undefined;
      usage?: Partial<Usage> | undefined;
      receivedBytes?: number;
      billable?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'ModelError';
    this.fault = fault;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.usage = details.usage;
    this.receivedBytes = details.receivedBytes ?? 0;
    this.billable = details.billable ?? false;
  }
}
