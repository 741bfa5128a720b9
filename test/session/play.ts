// Plays a session against a stand-in of its own, with tools made for the test.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { type AnthropicModelOptions, anthropicModel } from '../../harness/model/anthropic-model.js';
import type { Message, Model } from '../../harness/model/model.js';
import { runSession } from '../../harness/session/run-session.js';
import type { SessionDeps, SessionPlan } from '../../harness/session/session-types.js';
import { openTranscript } from '../../harness/session/transcript.js';
import type { Scenario } from '../../harness/standin/scenario.js';
import type { Play } from '../../harness/standin/scripted.js';
import type { StandinOptions } from '../../harness/standin/server.js';
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
  /** First user message; default a feature's. */
  firstMessage?: string;
  /** Limits of the streams. */
  api?: Partial<AnthropicModelOptions>;
  /** Puts decorators around the model. */
  wrap?(model: Model): Model;
  standin?: Omit<StandinOptions, 'scenario'>;
}

/** Call it inside a test. */
export async function playSession(script: Scenario | Play, options: PlayOptions) {
  const { tools, limits, signal, deps, firstMessage = 'Feature: F-001', wrap = model => model } = options;
  const folder = mkdtempSync(join(tmpdir(), 'session-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const standin = await standinFor(script, options.standin);
  const transcript = join(folder, 'transcript.jsonl');
  const end = await runSession(
    {
      system: 'You build.',
      firstMessage,
      model: 'claude-opus-4-6',
      maxTokens: 1_000,
      limits: limits ?? { turns: 40, ms: 60 * 60_000 },
    },
    {
      model: wrap(anthropicModel({ apiKey: 'k', baseUrl: standin.url, clock: systemClock, ...options.api })),
      tools: new ToolSet(tools),
      clock: systemClock,
      transcript: openTranscript(transcript, systemClock),
      reminders: { unfinished: 'Go on.', cut: 'Your answer was cut.' },
      observer: { turnEnded: () => {}, toolEnded: () => {}, afterTools: () => [] },
      signal: signal ?? new AbortController().signal,
      ...deps,
    },
  );
  const requests = standin.requests.filter(request => request.path.startsWith('/v1/messages'));
  const bodies = requests.map(request => request.body as unknown as { messages: Message[] });
  return { end, requests, bodies, transcript: () => readFileSync(transcript, 'utf8').trim().split('\n') };
}

/** The text of a request's last message. */
export function lastText(body: { messages: Message[] } | undefined): string {
  return JSON.stringify(body?.messages.at(-1)?.content);
}
