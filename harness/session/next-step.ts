// What to do after an answer: one branch for every stop reason of the API. Pure.

import type Anthropic from '@anthropic-ai/sdk';
import { oneLine } from '../base/cut-text.js';
import type { SessionEndReason } from '../journal/records.js';
import type { Answer } from '../model/model.js';
import type { SessionState } from './session-types.js';

export type ToolCall = Anthropic.ToolUseBlock;

export type NextStep =
  | { kind: 'run_tools'; calls: ToolCall[] }
  /** Answer each call as not run and say why. */
  | { kind: 'refuse_cut'; calls: ToolCall[] }
  | { kind: 'remind' }
  /** Send the conversation again as it stands: the API paused its own work. */
  | { kind: 'continue' }
  | { kind: 'end'; reason: SessionEndReason; summary: string };

/** In a row; then the session is over. */
const MOST_CUT_ANSWERS = 3;
const MOST_PAUSES = 5;

const LAST_WORDS_BYTES = 300;

export function nextStep(answer: Answer, state: SessionState): NextStep {
  const calls = answer.content.filter((block): block is ToolCall => block.type === 'tool_use');
  switch (answer.stop_reason) {
    case 'tool_use':
    case 'end_turn':
    case 'stop_sequence':
      if (calls.length > 0) return { kind: 'run_tools', calls };
      if (state.announced.size > 0) {
        return end(
          'model_stopped',
          `Told that the session was running out, it ended its turn.${lastWords(answer)}`,
        );
      }
      if (!state.reminded) return { kind: 'remind' };
      return end('model_stopped', 'The model ended its turn without finishing, also after a reminder.');
    case 'max_tokens':
      if (state.cutAnswers + 1 >= MOST_CUT_ANSWERS) {
        return end('truncated', `${MOST_CUT_ANSWERS} answers in a row reached the length limit.`);
      }
      return { kind: 'refuse_cut', calls };
    case 'model_context_window_exceeded':
      return end('context_full', 'The context window is full.');
    case 'pause_turn':
      // A call of ours must be answered, whatever else the API was at.
      if (calls.length > 0) return { kind: 'run_tools', calls };
      if (state.pauses + 1 >= MOST_PAUSES)
        return end('fault', `The API paused its turn ${MOST_PAUSES} times in a row.`);
      return { kind: 'continue' };
    case 'refusal':
      return end('refusal', `The model refused${refusalCategory(answer)}.`);
    case null:
      return end('fault', 'The answer has no stop reason.');
    default:
      return end(
        'fault',
        `The API gave a stop reason that this version does not know: ${String(answer.stop_reason)}.`,
      );
  }
}

/** What it says at its end may be all that the next session hears of it. */
function lastWords(answer: Answer): string {
  const text = answer.content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join(' ');
  return text.trim() === '' ? '' : ` Its last words: ${oneLine(text, LAST_WORDS_BYTES)}`;
}

function refusalCategory(answer: Answer): string {
  const category =
    answer.stop_details && 'category' in answer.stop_details ? answer.stop_details.category : null;
  return category ? ` (${category})` : '';
}

function end(reason: SessionEndReason, summary: string): NextStep {
  return { kind: 'end', reason, summary };
}
