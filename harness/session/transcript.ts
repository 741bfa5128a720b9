// sessions/<n>/transcript.jsonl: the conversation as the API saw it, line by line as it happens.

import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.js';
import type { Answer, Message, ToolDefinition } from '../model/model.js';

const TRANSCRIPT_VERSION = 1;

export interface Transcript {
  begin(head: { model: string; system: string; tools: ToolDefinition[]; messages: Message[] }): void;
  answer(answer: Answer): void;
  /** A user message that the loop added. */
  message(message: Message): void;
  end(reason: string, summary: string): void;
}

export function sessionFolder(state: string, session: number): string {
  return join(state, 'sessions', String(session).padStart(4, '0'));
}

export function openTranscript(path: string, clock: Clock): Transcript {
  mkdirSync(dirname(path), { recursive: true });
  const write = (entry: Record<string, unknown>) =>
    appendFileSync(path, `${JSON.stringify({ at: new Date(clock.now()).toISOString(), ...entry })}\n`);
  return {
    begin: head => write({ type: 'begin', v: TRANSCRIPT_VERSION, ...head }),
    answer: ({ id, content, stop_reason, usage }) =>
      write({ type: 'answer', id, stop_reason, usage, content }),
    message: message => write({ type: 'message', ...message }),
    end: (reason, summary) => write({ type: 'end', reason, summary }),
  };
}
