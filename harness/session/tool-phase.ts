// All tool calls of one turn: checked, run (reads at the same time, writes in order) and answered in one user message.

import type Anthropic from '@anthropic-ai/sdk';
import { cutMiddle, oneLine } from '../base/cut-text.js';
import type { Message } from '../model/model.js';
import type { SessionVerdict, ToolResult } from '../tools/tool.js';
import type { RunCall } from './loop-guard.js';
import type { ToolCall } from './next-step.js';
import type { SessionDeps } from './session-types.js';

/** A net below the limits of the tools themselves, about 10,000 tokens. */
const MOST_RESULT_BYTES = 40_000;

export interface ToolPhase {
  message: Message;
  verdict: SessionVerdict | null;
  /** The calls with their results. */
  calls: RunCall[];
  /** No call of the turn could be run: unknown tools or invalid input. */
  allBad: boolean;
}

export async function runToolPhase(
  calls: readonly ToolCall[],
  turn: number,
  deps: SessionDeps,
): Promise<ToolPhase> {
  const results: CallResult[] = [];
  for (const batch of batches(calls, deps)) {
    const over = results.some(({ result }) => result.end);
    results.push(
      ...(await Promise.all(batch.map(call => (over ? notRun(call) : runCall(call, turn, deps))))),
    );
  }
  const verdict = results.find(({ result }) => result.end)?.result.end ?? null;
  // After its end a session has nobody left to tell.
  const facts = verdict ? [] : await deps.observer.afterTools();
  return {
    message: {
      role: 'user',
      content: [...results.map(toBlock), ...facts.map(text => ({ type: 'text' as const, text }))],
    },
    verdict,
    calls: results.map(toRunCall),
    allBad: results.every(({ bad }) => bad),
  };
}

/** One user message that answers each call as not run. */
export function refuseCalls(calls: readonly ToolCall[], text: string): Message {
  if (calls.length === 0) return { role: 'user', content: [{ type: 'text', text }] };
  return {
    role: 'user',
    content: calls.map(call => toBlock({ call, bad: true, result: { text, isError: true } })),
  };
}

interface CallResult {
  call: ToolCall;
  result: ToolResult;
  bad: boolean;
}

/** Neighbouring reads together, each write alone, in the order of the calls. */
function batches(calls: readonly ToolCall[], { tools }: SessionDeps): ToolCall[][] {
  const isRead = (call: ToolCall) => {
    const checked = tools.check(call.name, call.input);
    return !checked.ok || checked.tool.access(call.input) === 'read';
  };
  const all: ToolCall[][] = [];
  let lastWasRead = false;
  for (const call of calls) {
    const read = isRead(call);
    const last = all.at(-1);
    if (read && lastWasRead && last) last.push(call);
    else all.push([call]);
    lastWasRead = read;
  }
  return all;
}

async function runCall(call: ToolCall, turn: number, deps: SessionDeps): Promise<CallResult> {
  const began = deps.clock.monotonic();
  const checked = deps.tools.check(call.name, call.input);
  const result = checked.ok
    ? await checked.tool.run(checked.input, deps.signal)
    : { text: checked.problem, isError: true };
  deps.observer.toolEnded({
    turn,
    tool: checked.ok ? checked.tool.name : call.name,
    brief: oneLine(briefInput(call.input), 120),
    ok: !result.isError,
    ms: Math.round(deps.clock.monotonic() - began),
  });
  return { call, result, bad: !checked.ok };
}

function notRun(call: ToolCall): CallResult {
  return { call, bad: false, result: { text: 'Not run: the session was over.', isError: true } };
}

function toRunCall({ call, result: { text, isError = false, images = [] } }: CallResult): RunCall {
  return { tool: call.name, input: call.input, text, isError, images };
}

function toBlock({ call, result }: CallResult): Anthropic.ToolResultBlockParam {
  const text = cutMiddle(
    result.text.trim() === '' ? '(no output)' : result.text,
    MOST_RESULT_BYTES,
    'ask for less at once',
  );
  const images = (result.images ?? []).map(data => ({
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: 'image/png' as const, data },
  }));
  return {
    type: 'tool_result',
    tool_use_id: call.id,
    content: [{ type: 'text', text }, ...images],
    ...(result.isError ? { is_error: true } : {}),
  };
}

/** The first strings of an input: a command, a path, an id; the third, such as the name of a button, where it is short. */
function briefInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const [first = '', second = '', third = ''] = Object.values(input).filter(
    value => typeof value === 'string',
  );
  return [first, second, ...(/^.{1,40}$/.test(third) ? [third] : [])].join(' ').trim();
}
