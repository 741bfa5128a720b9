// finish_session: the model's way to end a session without a proof.

import { normalizeNotes, notesProblem } from '../context/notes.js';
import type { Plan, SessionOutcome } from '../journal/records.js';
import type { SessionVerdict, Tool, ToolFace } from './tool.js';

export interface FinishOperations {
  kind: 'initializer' | 'executor';
  /** Ids of features that still fail. */
  failing: ReadonlySet<string>;
  /** Saves the notes so that they are committed with the session's end. */
  saveNotes(content: string): void;
  /** Initializer: checks the start and commits it. What is wrong, as sentences; empty when accepted. */
  accept(progress: string, plan: Plan, signal: AbortSignal): Promise<string[]>;
}

interface Input {
  outcome: SessionOutcome;
  summary: string;
  progress: string;
  blockedBy?: string[];
  stack?: string;
  programs?: string[];
  questions?: string[];
}

export function finishSessionFace(description: string): ToolFace {
  return {
    name: 'finish_session',
    description,
    schema: {
      type: 'object',
      properties: {
        outcome: { type: 'string', enum: ['done', 'unfinished', 'blocked', 'needs_person', 'not_a_web_app'] },
        summary: {
          type: 'string',
          minLength: 1,
          description: 'One or two sentences.',
        },
        progress: { type: 'string', description: 'New claude-progress.txt.' },
        blockedBy: {
          type: 'array',
          items: { type: 'string' },
          description: 'Feature ids.',
        },
        stack: { type: 'string', description: 'With done: languages and packages.' },
        programs: {
          type: 'array',
          items: { type: 'string' },
          description: 'With done: commands needed on the machine: node, psql.',
        },
        questions: {
          type: 'array',
          items: { type: 'string' },
          description: 'With done: what the spec leaves open, how decided.',
        },
      },
      required: ['outcome', 'summary', 'progress'],
      additionalProperties: false,
    },
  };
}

export function finishSessionTool({
  description,
  operations,
}: {
  description: string;
  operations: FinishOperations;
}): Tool {
  return {
    ...finishSessionFace(description),
    access: () => 'write',
    async run(input, signal) {
      const {
        outcome,
        summary,
        progress,
        blockedBy = [],
        stack = '',
        programs = [],
        questions = [],
      } = input as Input;
      const problem = notesProblem(progress) ?? outcomeProblem(outcome, blockedBy, operations);
      if (problem !== null) return { text: problem, isError: true };
      const notes = normalizeNotes(progress);
      if (operations.kind === 'initializer' && outcome === 'done') {
        const faults = await operations.accept(notes, { stack, programs, questions }, signal);
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

function outcomeProblem(
  outcome: Input['outcome'],
  blockedBy: string[],
  { failing, kind }: FinishOperations,
): string | null {
  if (outcome === 'done' && kind === 'executor')
    return 'A feature is done when verify_feature proved it, so outcome done is for the initializer. Call verify_feature, or finish with unfinished, blocked or needs_person and say why.';
  if (outcome === 'not_a_web_app' && kind === 'executor')
    return 'Outcome not_a_web_app is for the initializer, which reads the spec; use blocked or needs_person here.';
  if (blockedBy.length === 0) return null;
  if (outcome !== 'blocked' || kind === 'initializer')
    return 'blockedBy goes only with outcome blocked in an executor session; leave it out.';
  const wrong = blockedBy.filter(id => !failing.has(id));
  if (wrong.length === 0) return null;
  return `blockedBy names ${wrong.join(', ')}, which ${wrong.length === 1 ? 'is not a failing feature' : 'are not failing features'} of features.json. Name ids that still fail, or leave blockedBy out and say the reason in summary.`;
}
