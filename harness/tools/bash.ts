// bash: runs a command in the session's persistent shell and tells what it printed and how it ended.

import { oneLine } from '../base/cut-text.js';
import { TRAINED_TOOLS } from '../model/trained-tools.js';
import type { Shell, ShellResult } from '../workspace/shell.js';
import type { InputSchema, Tool, ToolFace } from './tool.js';

export interface BashToolOptions {
  shell: Shell;
  description: string;
  /** Deadline of a call that names none. */
  defaultTimeoutMs?: number;
}

/** Of a whole result. What is not output (background, notes, status) fits into the difference. */
export const RESULT_CHARACTERS = 24_000;
const OUTPUT_CHARACTERS = RESULT_CHARACTERS - 3_500;

const TEN_MINUTES_MS = 600_000;
const LONGEST_SECONDS = 3_600;
const NAMED_PROCESSES = 5;
const PATH_CHARACTERS = 300;

const TOLD: InputSchema = {
  type: 'object',
  properties: {
    command: { type: 'string', description: 'One or more lines of bash.' },
    timeoutSeconds: {
      type: 'integer',
      minimum: 1,
      maximum: LONGEST_SECONDS,
      description: 'Deadline of this call.',
    },
  },
  required: ['command'],
  additionalProperties: false,
};

export function bashFace(description: string): ToolFace {
  return {
    name: 'bash',
    description,
    // The trained form has a restart, alone or before a command.
    schema: {
      type: 'object',
      properties: { ...TOLD.properties, restart: { type: 'boolean' } },
      minProperties: 1,
      additionalProperties: false,
    },
    toldSchema: TOLD,
    trained: TRAINED_TOOLS.bash,
  };
}

interface Input {
  command?: string;
  timeoutSeconds?: number;
  restart?: boolean;
}

export function bashTool({ shell, description, defaultTimeoutMs = TEN_MINUTES_MS }: BashToolOptions): Tool {
  return {
    ...bashFace(description),
    access: () => 'write',
    async run(input, signal) {
      const { command = '', timeoutSeconds, restart } = input as Input;
      if (restart) await shell.restart();
      if (restart && command === '') return { text: `[A new shell in ${path(shell.root)}.]` };
      const problem = commandProblem(command);
      if (problem !== null) return { text: problem, isError: true };
      const timeoutMs = timeoutSeconds === undefined ? defaultTimeoutMs : timeoutSeconds * 1000;
      const result = await shell.run(command, { timeoutMs, signal, maxCharacters: OUTPUT_CHARACTERS });
      return {
        text: resultText(result, { root: shell.root, timeoutMs }),
        // A command that ends with another code than 0 is an answer, often the wanted one.
        ...(result.timedOut || result.interrupted ? { isError: true } : {}),
      };
    },
  };
}

function commandProblem(command: string): string | null {
  if (command.trim() === '') return 'The command is empty; nothing was run. Pass at least one line of bash.';
  if (command.includes('\0')) {
    return "The command has a NUL character, which bash cannot read; nothing was run. Write it as $'\\0' or with printf.";
  }
  return null;
}

/** What the model reads: notes on what came before, the output, how it ended, notes on what is different now. */
export function resultText(
  result: ShellResult,
  { root, timeoutMs }: { root: string; timeoutMs: number },
): string {
  return [
    result.restarted === 'before_call' &&
      '[The shell had ended since the last call; this ran in a new one, without the variables and functions set before.]',
    result.lostFolder !== null &&
      `[The current folder ${path(result.lostFolder)} is gone; this ran in ${path(root)}.]`,
    result.background !== '' &&
      `[Background processes have printed since the last call:]\n${result.background.trimEnd()}\n[This call:]`,
    result.output.trim() !== '' && result.output.replace(/\n+$/, ''),
    `[${ending(result, root, timeoutMs)}]`,
    result.restarted === 'by_call' &&
      `[The shell itself has ended. The next call gets a new one in ${path(result.cwd)}, without the variables and functions set before.]`,
  ]
    .filter(part => part !== false)
    .join('\n');
}

function ending(result: ShellResult, root: string, timeoutMs: number): string {
  const facts = [
    ...(result.output.trim() === '' ? ['no output'] : []),
    ...(result.code === null ? [] : [`exit code ${result.code}`]),
    `${(result.ms / 1000).toFixed(1)} s`,
    ...(result.cwd === root ? [] : [`now in ${path(result.cwd)}`]),
  ].join(', ');
  if (result.timedOut) {
    return `${facts}. Stopped at its deadline of ${timeoutMs / 1000} s. ${endedProcesses(result)} If it only needs longer, start it in the background with its output in a file and look at the file in later calls, or pass a larger timeoutSeconds (at most ${LONGEST_SECONDS})`;
  }
  if (result.interrupted)
    return `${facts}. Interrupted: the session is being stopped. ${endedProcesses(result)}`;
  return facts;
}

function endedProcesses({ killed }: ShellResult): string {
  if (killed.length === 0) return 'None of its processes had to be ended.';
  const more = killed.length - NAMED_PROCESSES;
  return `Ended: ${killed.slice(0, NAMED_PROCESSES).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

function path(text: string): string {
  return oneLine(text, PATH_CHARACTERS);
}
