// A session of the demo without the harness: briefs as the harness writes them, and tools that answer from a folder.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type Anthropic from '@anthropic-ai/sdk';
import { askOf } from '../../harness/standin/ask.js';
import type { DemoFeature } from '../../harness/standin/demo/content.js';
import type { Scenario } from '../../harness/standin/scenario.js';

export const TOOLS = ['bash', 'browser', 'finish_session', 'notes', 'text_editor', 'verify_feature'];

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
  const tool = toolsOf(app, options.bash ?? (command => runBash(app, command)));
  const guard = guardOf(join(app, 'features.json'));
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: brief }];
  const made: Call[] = [];
  for (let turn = 0; turn !== killBefore; turn++) {
    const body = { model: 'any', max_tokens: 1000, system, tools: tools.map(toolNamed), messages };
    const reply = await scenario.reply(askOf(body, turn + 1));
    if (reply.kind !== 'message') throw new Error(`not a message: ${reply.kind}`);
    const results: Anthropic.ContentBlockParam[] = [];
    for (const [index, block] of reply.content.entries()) {
      if (block.type !== 'tool_use') continue;
      const call: Call = { turn, name: block.name, input: block.input as Call['input'] };
      made.push(call);
      const verdict = call.name === 'verify_feature' ? verdicts.shift() : undefined;
      if (call.name === 'finish_session' || verdict === null) return made;
      const text = verdict ?? tool(call);
      results.push({
        type: 'tool_result',
        tool_use_id: `toolu_${turn}_${index}`,
        content: text,
        is_error: verdict !== undefined || text.startsWith('Error: '),
      });
    }
    results.push(...guard().map(text => ({ type: 'text' as const, text })));
    messages.push({ role: 'assistant', content: 'A turn.' }, { role: 'user', content: results });
  }
  return made;
}

type UseTool = (call: Call) => string;

function toolsOf(app: string, bash: (command: string) => string): UseTool {
  let accepts = 'dismissed, which is the default.';
  const browser: UseTool = ({ input }) => {
    if (input.action === 'dialog') accepts = 'accepted, as asked.';
    if (input.action !== 'click') return 'Page: "The garden board"';
    return `Clicked.\nDialog confirm "${input.name?.replace(/^Delete (.*)$/, 'Delete “$1” for good?')}": ${accepts}`;
  };
  const editor: UseTool = ({ input }) => {
    const path = resolve(app, input.path ?? '');
    if (input.command === 'create') return write(path, input.file_text ?? '');
    return existsSync(path) ? readFileSync(path, 'utf8') : `Error: ${path} does not exist`;
  };
  const tools: Record<string, UseTool> = {
    bash: ({ input }) => bash(input.command ?? ''),
    browser,
    notes: ({ input }) => write(resolve(app, 'claude-progress.txt'), input.content ?? ''),
    text_editor: editor,
  };
  return call => tools[call.name]?.(call) ?? 'Error: verify_feature was called too often';
}

/** As the harness does: an edit of the list is undone after the turn, and told. */
function guardOf(list: string): () => string[] {
  if (!existsSync(list)) return () => [];
  const text = readFileSync(list, 'utf8');
  return () => {
    if (readFileSync(list, 'utf8') === text) return [];
    writeFileSync(list, text);
    return ['[fact] features.json was changed (F-008: its description was changed) and has been put back.'];
  };
}

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return `Wrote ${path}.`;
}

/** Servers and the app's own check are played: they are tried elsewhere, and take longer than all the rest. */
function runBash(app: string, command: string): string {
  if (command.includes('init.sh start')) return 'http://127.0.0.1:4001\n[exit code 0, 0.1 s]';
  if (command === './init.sh check') {
    const isRed = existsSync(join(app, 'words.test.mjs')) && !existsSync(join(app, 'public/words.mjs'));
    return isRed ? 'public/words.mjs is missing\n[exit code 1, 0.1 s]' : 'check: ok\n[exit code 0, 0.1 s]';
  }
  const played = command.replace(' && ./init.sh setup && ./init.sh check', ' && echo check: ok');
  const { stdout, stderr, status } = spawnSync('bash', ['-c', played], { cwd: app, encoding: 'utf8' });
  return `${stdout}${stderr}[exit code ${status}, 0.1 s]`;
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
