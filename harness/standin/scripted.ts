// Builders with which a scenario reads like the conversation that it plays.

import type { MessageReply } from './answer.js';
import { errorBody } from './api-error.js';
import type { Ask, Cut, Reply, Scenario } from './scenario.js';

export type Play = (ask: Ask) => Reply | Promise<Reply>;

export function scripted(name: string, play: Play): Scenario {
  return { name, reply: async ask => play(ask) };
}

/** Says something and ends the turn. */
export function say(text: string): MessageReply {
  return { kind: 'message', content: [{ type: 'text', text }] };
}

/** Calls one tool, after a word about it if `text` is given. */
export function call(tool: string, input: unknown, text?: string): MessageReply {
  return calls([[tool, input]], text);
}

/** Calls several tools in one turn. */
export function calls(
  uses: readonly (readonly [tool: string, input: unknown])[],
  text?: string,
): MessageReply {
  return {
    kind: 'message',
    content: [
      ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
      ...uses.map(([name, input]) => ({ type: 'tool_use' as const, name, input })),
    ],
  };
}

/** An error as the API sends it. */
export function error(
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): Reply {
  return { kind: 'http', status, headers, body: errorBody({ type, message }) };
}

/** The same answer, broken off after so many bytes of its body. */
export function cut(reply: MessageReply, afterBytes: number, how: Cut['how']): MessageReply {
  return { ...reply, cut: { afterBytes, how } };
}

/** A recorded SSE body. */
export function recorded(body: string): Reply {
  return { kind: 'sse', body };
}

/** Answers a conversation's first request with the first reply, and so on; a turn without a reply is refused. */
export function byTurn(...replies: Reply[]): Play {
  return ask => nth(replies, ask.turn, `turn ${ask.turn}`);
}

/** Answers by the number of requests that the server got, so that a retry hears something else. */
export function inOrder(...replies: Reply[]): Play {
  return ask => nth(replies, ask.count - 1, `request ${ask.count}`);
}

function nth(replies: readonly Reply[], index: number, what: string): Reply {
  const reply = replies[index];
  if (reply === undefined)
    throw new Error(`nothing is scripted for ${what}: there are ${replies.length} replies`);
  return reply;
}
