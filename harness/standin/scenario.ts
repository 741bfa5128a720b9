// What the stand-in plays: a scenario reads a request as a model would and says what to answer.

import type Anthropic from '@anthropic-ai/sdk';

/** What a scenario sees of one request. */
export interface Ask {
  /** 1 for the first request that this server got, whatever the conversation. */
  count: number;
  body: Anthropic.MessageCreateParams;
  /** Text of the first user message: the brief. */
  brief: string;
  /** Feature id read in the brief (the line `Feature: <id>`), or null: an initializer's brief. */
  feature: string | null;
  /** Number of assistant messages in the conversation: 0 on a session's first request. */
  turn: number;
  /** Text of the tool results (or other text) of the last user message, in order. */
  results: { toolUseId: string | null; text: string; isError: boolean }[];
}

export type ReplyBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  /** `json` is sent in place of `input`: text that no JSON parser takes, or that breaks off. */
  | { type: 'tool_use'; name: string; input: unknown; id?: string; json?: string };

/** Where and how a stream breaks: after this many bytes of the SSE body. */
export interface Cut {
  afterBytes: number;
  /** `close` ends the body cleanly, `reset` drops the connection, `hang` goes silent with it open. */
  how: 'close' | 'reset' | 'hang';
}

export type Reply =
  | {
      kind: 'message';
      content: ReplyBlock[];
      /** Default: tool_use when there is a tool call, else end_turn. */
      stopReason?: Anthropic.StopReason;
      /** What a refusal says of itself. */
      stopDetails?: Anthropic.RefusalStopDetails;
      /** Overrides of the computed usage. */
      usage?: Partial<Anthropic.Usage>;
      cut?: Cut;
      /** Pause before the first byte, ms. */
      delayMs?: number;
    }
  /** A whole answer that is not a message: errors, HTML, anything. */
  | { kind: 'http'; status: number; headers?: Record<string, string>; body: string }
  /** A recorded SSE body, sent as it is; lines `: @sleep N`, `: @hang`, `: @reset` are orders to the server. */
  | { kind: 'sse'; body: string };

/**
 * A scenario that cannot make sense of a request throws with the reason; the server answers 400 with it, so a broken
 * brief never passes.
 */
export interface Scenario {
  readonly name: string;
  reply(ask: Ask): Reply | Promise<Reply>;
}
