// What a call of the text editor holds, and what is missing or unusable in it.

import type { JSONSchema7 } from 'json-schema';

const COMMANDS = ['view', 'create', 'str_replace', 'insert'] as const;

export type Command = (typeof COMMANDS)[number];

/** As it passes the schema: which of the rest a command needs is checked by `readInput`. */
export interface RawInput {
  command: Command;
  path: string;
  file_text?: string;
  view_range?: number[];
  old_str?: string;
  new_str?: string;
  insert_line?: number;
  insert_text?: string;
}

/** A call with all that its command needs. */
export type EditorInput =
  | { command: 'view'; path: string; view_range?: number[] }
  | { command: 'create'; path: string; file_text: string }
  | { command: 'str_replace'; path: string; old_str: string; new_str: string }
  | { command: 'insert'; path: string; insert_line: number; insert_text: string };

export const EDITOR_SCHEMA: JSONSchema7 & { type: 'object' } = {
  type: 'object',
  properties: {
    command: { type: 'string', enum: [...COMMANDS] },
    path: { type: 'string' },
    file_text: { type: 'string' },
    view_range: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
    old_str: { type: 'string' },
    new_str: { type: 'string' },
    insert_line: { type: 'integer', minimum: 0 },
    insert_text: { type: 'string' },
  },
  required: ['command', 'path'],
  additionalProperties: false,
};

const NEEDS: Record<Command, readonly (keyof RawInput)[]> = {
  view: [],
  create: ['file_text'],
  str_replace: ['old_str', 'new_str'],
  insert: ['insert_line', 'insert_text'],
};

const RIGHT_CALL: Record<Command, string> = {
  view: '{"command": "view", "path": "src/app.ts", "view_range": [1, 50]}',
  create: '{"command": "create", "path": "src/app.ts", "file_text": "export {};\\n"}',
  str_replace:
    '{"command": "str_replace", "path": "src/app.ts", "old_str": "let a = 1;", "new_str": "let a = 2;"} (to delete: "new_str": "")',
  insert: '{"command": "insert", "path": "src/app.ts", "insert_line": 0, "insert_text": "// first line\\n"}',
};

/** The call, or a sentence that says what is wrong with it and shows a right one. */
export function readInput(raw: RawInput): { ok: true; input: EditorInput } | { ok: false; reason: string } {
  const missing = NEEDS[raw.command].filter(name => raw[name] === undefined);
  if (missing.length > 0) {
    const reason = `${raw.command} needs ${missing.join(' and ')}. A right call: ${RIGHT_CALL[raw.command]}`;
    return { ok: false, reason };
  }
  for (const name of ['file_text', 'old_str', 'new_str', 'insert_text'] as const) {
    const flaw = flawOf(raw[name]);
    if (flaw) return { ok: false, reason: `${name} ${flaw}` };
  }
  if (raw.command === 'str_replace') {
    if (raw.old_str === '') {
      return {
        ok: false,
        reason: 'old_str is empty. Use insert to add text, or create to replace the whole file.',
      };
    }
    if (raw.old_str === raw.new_str) {
      return { ok: false, reason: 'old_str and new_str are the same, so there is nothing to do.' };
    }
  }
  if (raw.command === 'insert' && raw.insert_text === '') {
    return { ok: false, reason: 'insert_text is empty. For an empty line give "\\n".' };
  }
  return { ok: true, input: raw as EditorInput };
}

function flawOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.includes('\0'))
    return 'contains a NUL character. This tool writes text only; use the shell for binary files.';
  if (/\p{Surrogate}/u.test(text)) {
    return 'contains half of a character (a lone surrogate), which cannot be written as UTF-8. Send the whole character.';
  }
  return undefined;
}
