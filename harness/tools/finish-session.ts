// finish_session: the model's way to end a session without a proof.

import { normalizeNotes, notesProblem } from '../context/notes.js';
import type { SessionVerdict, Tool } from './tool.js';

export interface FinishOperations {
  kind: 'initializer' | 'executor';
  /** Ids of features that still fail. */
  failing: ReadonlySet<string>;
  /** Saves the notes so that they are committed with the session's end. */
  saveNotes(content: string): void;
  /** Initializer: checks the start and commits it. What is wrong, as sentences; empty when accepted. */
  accept(progress: string, signal: AbortSignal): Promise<string[]>;
}

interface Input {
  outcome: 'done' | 'blocked' | 'needs_person';
  summary: string;
  progress: string;
  blockedBy?: string[];
}

export function finishSessionTool({
  description,
  operations,
}: {
  description: string;
  operations: FinishOperations;
}): Tool {
  return {
    name: 'finish_session',
    description,
    schema: {
      type: 'object',
      properties: {
        outcome: { type: 'string', enum: ['done', 'blocked', 'needs_person'] },
        summary: {
          type: 'string',
          minLength: 1,
          description: 'One or two sentences for the next session and for people.',
        },
        progress: { type: 'string', description: 'The whole new text of claude-progress.txt.' },
        blockedBy: {
          type: 'array',
          items: { type: 'string' },
          description: 'With outcome blocked: ids of failing features that must pass first.',
        },
      },
      required: ['outcome', 'summary', 'progress'],
      additionalProperties: false,
    },
    access: () => 'write',
    async run(input, signal) {
      const { outcome, summary, progress, blockedBy = [] } = input as Input;
      const problem = notesProblem(progress) ?? blockedProblem(outcome, blockedBy, operations);
      if (problem !== null) return { text: problem, isError: true };
      const notes = normalizeNotes(progress);
      if (operations.kind === 'initializer' && outcome === 'done') {
        const faults = await operations.accept(notes, signal);
        if (faults.length > 0) {
          const list = faults.map(fault => `- ${fault}`).join('\n');
          return {
            text: `The start is not accepted yet:\n${list}\nMend this and call finish_session again.`,
            isError: true,
          };
        }
      } else {
        operations.saveNotes(notes);
      }
      const end: SessionVerdict = { kind: 'finished', outcome, summary, blockedBy };
      return { text: 'The session is over.', end };
    },
  };
}

function blockedProblem(
  outcome: Input['outcome'],
  blockedBy: string[],
  { failing, kind }: FinishOperations,
): string | null {
  if (blockedBy.length === 0) return null;
  if (outcome !== 'blocked' || kind === 'initializer')
    return 'blockedBy goes only with outcome blocked in an executor session; leave it out.';
  const wrong = blockedBy.filter(id => !failing.has(id));
  if (wrong.length === 0) return null;
  return `blockedBy names ${wrong.join(', ')}, which ${wrong.length === 1 ? 'is not a failing feature' : 'are not failing features'} of features.json. Name ids that still fail, or leave blockedBy out and say the reason in summary.`;
}
