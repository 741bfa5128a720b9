// How a session of the demo is written down: one move a turn, each a look at what came back and the next answer.

import type { MessageReply } from '../answer.js';
import type { Ask } from '../scenario.js';
import { type DemoFeatureId, type DemoFile, type DemoSession, demoPatch } from './content.js';

export type Move = (ask: Ask) => MessageReply;

/** The turn is read in the conversation, so a session that is started again plays from its beginning. */
export function playMove(moves: readonly Move[], ask: Ask, session: DemoSession): MessageReply {
  const move = moves[ask.turn];
  if (move) return move(ask);
  const last = ask.results.map(result => result.text).join('\n');
  throw new Error(
    `the demo's session of ${session} ends with turn ${moves.length - 1}, but turn ${ask.turn} was asked for after: ${last}`,
  );
}

export type Use = readonly [tool: string, input: Record<string, unknown>];

export function bash(command: string, timeoutSeconds?: number): Use {
  return ['bash', timeoutSeconds === undefined ? { command } : { command, timeoutSeconds }];
}

export function view(path: string): Use {
  return ['text_editor', { command: 'view', path }];
}

export function browser(action: string, more: Record<string, unknown> = {}): Use {
  return ['browser', { action, ...more }];
}

/** Whole files, so that it does not matter what a session that was killed had written of them. */
export function createAll(files: readonly DemoFile[]): Use[] {
  return files.map(({ path, text }) => ['text_editor', { command: 'create', path, file_text: text }]);
}

/** The patch goes in with the command, as a model would write it. */
export function applyPatch(id: DemoFeatureId, name: 'change' | 'mend'): Use {
  return bash(`git apply --stat --apply <<'PATCH'\n${demoPatch(id, name)}PATCH`);
}

/** What `./init.sh check` of the app prints last when all is well. */
export const CHECKED = 'check: ok';

export function check(): Use {
  return bash('./init.sh check', 60);
}
