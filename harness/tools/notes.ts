// notes: saves claude-progress.txt for the next session before the session's end.

import { join } from 'node:path';
import { writeFileDurably } from '../base/atomic-file.js';
import { normalizeNotes, notesProblem } from '../context/notes.js';
import { PROGRESS_FILE } from '../workspace/app.js';
import type { Tool, ToolFace } from './tool.js';

export function notesFace(description: string): ToolFace {
  return {
    name: 'notes',
    description,
    schema: {
      type: 'object',
      properties: { content: { type: 'string' } },
      required: ['content'],
      additionalProperties: false,
    },
  };
}

export function notesTool({ appRoot, description }: { appRoot: string; description: string }): Tool {
  return {
    ...notesFace(description),
    access: () => 'write',
    async run(input) {
      const { content } = input as { content: string };
      const problem = notesProblem(content);
      if (problem !== null) return { text: problem, isError: true };
      writeFileDurably(join(appRoot, PROGRESS_FILE), normalizeNotes(content));
      return { text: `Saved ${PROGRESS_FILE}.` };
    },
  };
}
