// Plays a session against a stand-in of its own, with tools made for the test.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { anthropicModel } from '../../harness/model/anthropic-model.js';
import type { Message } from '../../harness/model/model.js';
import { runSession } from '../../harness/session/run-session.js';
import type { SessionDeps, SessionPlan } from '../../harness/session/session-types.js';
import { openTranscript } from '../../harness/session/transcript.js';
import type { Scenario } from '../../harness/standin/scenario.js';
import type { Play } from '../../harness/standin/scripted.js';
import type { Tool, ToolResult } from '../../harness/tools/tool.js';
import { ToolSet } from '../../harness/tools/tool-set.js';
import { standinFor } from '../support/standin.js';

/** A tool with one argument, `text`. */
export function textTool(
  name: string,
  access: 'read' | 'write',
  run: (text: string) => Promise<ToolResult> | ToolResult,
): Tool {
  return {
    name,
    description: `The ${name} tool.`,
    schema: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    },
    access: () => access,
    run: async input => run((input as { text: string }).text),
  };
}

export interface PlayOptions {
  tools: readonly Tool[];
  limits?: SessionPlan['limits'];
  signal?: AbortSignal;
  deps?: Partial<SessionDeps>;
}

/** Call it inside a test. */
export async function playSession(script: Scenario | Play, { tools, limits, signal, deps }: PlayOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'session-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const standin = await standinFor(script);
  const transcript = join(folder, 'transcript.jsonl');
  const end = await runSession(
    {
      system: 'You build.',
      firstMessage: 'Feature: F-001',
      model: 'claude-opus-4-6',
      maxTokens: 1_000,
      limits: limits ?? { turns: 40, ms: 60 * 60_000 },
    },
    {
      model: anthropicModel({ apiKey: 'k', baseUrl: standin.url, clock: systemClock }),
      tools: new ToolSet(tools),
      clock: systemClock,
      transcript: openTranscript(transcript, systemClock),
      reminders: { unfinished: 'Go on.', cut: 'Your answer was cut.' },
      observer: { turnEnded: () => {}, toolEnded: () => {}, afterTools: () => [] },
      signal: signal ?? new AbortController().signal,
      ...deps,
    },
  );
  const bodies = standin.requests
    .filter(request => request.path.startsWith('/v1/messages'))
    .map(request => request.body as unknown as { messages: Message[] });
  return { end, bodies, transcript: () => readFileSync(transcript, 'utf8').trim().split('\n') };
}

/** The text of a request's last message. */
export function lastText(body: { messages: Message[] } | undefined): string {
  return JSON.stringify(body?.messages.at(-1)?.content);
}
