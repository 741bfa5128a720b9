// What the model said in the turns of a session, from its transcript; made to be asked again while the session goes on.

import { join } from 'node:path';
import { readIfExists } from '../base/atomic-file.js';
import { sessionFolder } from '../session/transcript.js';

/** Text of the n-th answer of a session, thinking and tool calls left out; null where there is none. */
export function saidInSession(stateFolder: string, session: number): (turn: number) => string | null {
  const path = join(sessionFolder(stateFolder, session), 'transcript.jsonl');
  let answers: string[] = [];
  return turn => {
    // The transcript has an answer before the journal has its turn, so one more look is enough.
    if (turn > answers.length) answers = readAnswers(path);
    return answers[turn - 1] ?? null;
  };
}

function readAnswers(path: string): string[] {
  const lines = readIfExists(path)?.toString('utf8').split('\n') ?? [];
  return lines.flatMap(line => {
    const entry = parseEntry(line);
    return entry?.type === 'answer' ? [textOf(entry.content)] : [];
  });
}

/** Null for a line that a crash cut off. */
function parseEntry(line: string): { type?: unknown; content?: unknown } | null {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' ? entry : null;
  } catch {
    return null;
  }
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .flatMap(part => (part?.type === 'text' && typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
}
