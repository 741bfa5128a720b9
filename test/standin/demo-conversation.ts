// A session of the demo without the harness: briefs as the harness writes them, and tools that answer from a folder.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type Anthropic from '@anthropic-ai/sdk';
import { askOf } from '../../harness/standin/ask.js';
import type { DemoFeature } from '../../harness/standin/demo/content.js';
import type { Scenario } from '../../harness/standin/scenario.js';

export const TOOLS = ['bash', 'finish_session', 'notes', 'text_editor', 'verify_feature'];

export interface Call {
  turn: number;
  name: string;
  input: Record<string, string>;
}

export interface ConversationOptions {
  scenario: Scenario;
  brief: string;
  /** The folder of the app. */
  app: string;
  system?: string;
  tools?: string[];
  /** What verify_feature says, call after call: null is green and ends the session. */
  verdicts?: (string | null)[];
  /** What bash says; default: it runs the command in the app. */
  bash?: (command: string) => string;
  /** Stops as a kill would: before the answer of this turn. */
  killBefore?: number;
}

/** Plays one session to its end. @returns its tool calls in order. */
export async function converse(options: ConversationOptions): Promise<Call[]> {
  const { scenario, brief, app, system = 'You build web apps.', tools = TOOLS, killBefore } = options;
  const verdicts = [...(options.verdicts ?? [null])];
  const run = options.bash ?? (command => runBash(app, command));
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: brief }];
  const made: Call[] = [];
  for (let turn = 0; turn !== killBefore; turn++) {
    const body = { model: 'any', max_tokens: 1000, system, tools: tools.map(toolNamed), messages };
    const reply = await scenario.reply(askOf(body, turn + 1));
    if (reply.kind !== 'message') throw new Error(`not a message: ${reply.kind}`);
    const results: Anthropic.ToolResultBlockParam[] = [];
    for (const [index, block] of reply.content.entries()) {
      if (block.type !== 'tool_use') continue;
      const call: Call = { turn, name: block.name, input: block.input as Call['input'] };
      made.push(call);
      const verdict = call.name === 'verify_feature' ? verdicts.shift() : undefined;
      if (call.name === 'finish_session' || verdict === null) return made;
      const text = verdict ?? useTool(app, call, run);
      results.push({
        type: 'tool_result',
        tool_use_id: `toolu_${turn}_${index}`,
        content: text,
        is_error: verdict !== undefined || text.startsWith('Error: '),
      });
    }
    messages.push({ role: 'assistant', content: 'A turn.' }, { role: 'user', content: results });
  }
  return made;
}

function useTool(app: string, { name, input }: Call, bash: (command: string) => string): string {
  if (name === 'bash') return bash(input.command ?? '');
  if (name === 'notes') return write(resolve(app, 'claude-progress.txt'), input.content ?? '');
  if (name !== 'text_editor') return `Error: verify_feature was called too often`;
  const path = resolve(app, input.path ?? '');
  if (input.command === 'view') return readFileSync(path, 'utf8');
  if (input.command === 'create') return write(path, input.file_text ?? '');
  const { old_str = '', new_str = '' } = input;
  const parts = readFileSync(path, 'utf8').split(old_str);
  return parts.length === 2 ? write(path, parts.join(new_str)) : `Error: ${parts.length - 1} places match`;
}

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return `Wrote ${path}.`;
}

function runBash(app: string, command: string): string {
  return execFileSync('bash', ['-c', `${command} 2>&1`], { cwd: app, encoding: 'utf8' });
}

function toolNamed(name: string): Anthropic.Tool {
  return { name, description: name, input_schema: { type: 'object' } };
}

export function initializerBrief(specPath: string): string {
  return `Prepare the project.\n\n# Brief\n\nSession: 1, initializer\nApp spec: ${specPath}\n`;
}

export interface ExecutorFacts {
  feature: DemoFeature;
  notes: string;
  /** Subjects of the commits that made features pass. */
  done: string[];
  total: number;
}

export function executorBrief({ feature, notes, done, total }: ExecutorFacts): string {
  return [
    'Build one feature.\n\n# Brief\n',
    'Session: 3, executor',
    `Feature: ${feature.id}`,
    'Category: functional',
    `Description: ${feature.description}`,
    'Steps:',
    ...feature.steps.map((step, index) => `${index + 1}. ${step}`),
    `\n## History of ${feature.id}\n[fact] No session has worked on it yet.`,
    `\n## Progress\n[fact] ${done.length} of ${total} features pass.`,
    '\n## Recent commits',
    ...done.toReversed().map(subject => `[fact] 1a2b3c4 ${subject}`),
    '[fact] 0a1b2c3 Lay out the project',
    '\n## Files\n[fact] board.mjs init.sh public',
    `\n## Notes from earlier sessions (claude-progress.txt)\n[unverified] What they wrote:\n${notes}`,
    '\n## Left by the last session\n[fact] It left no uncommitted files.',
  ].join('\n');
}
