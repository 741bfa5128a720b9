// One session: a fresh conversation, turn by turn, until something ends it.

import { wellFormed } from '../base/well-formed.js';
import { loadPrompt } from '../context/prompts.js';
import type { Answer, ContentBlock, Message } from '../model/model.js';
import { contextTokens } from '../model/usage.js';
import { limitReached, type SessionUse, wrapUpDue } from './limits.js';
import { FRESH_GUARD, watchTurn } from './loop-guard.js';
import { nextStep, type ToolCall } from './next-step.js';
import { sendableAnswer } from './sendable-answer.js';
import { type Ending, endAfterTools, endOfFailedTurn, interrupted } from './session-endings.js';
import type { SessionDeps, SessionEnd, SessionPlan, SessionState } from './session-types.js';
import { refuseCalls, runToolPhase } from './tool-phase.js';

export async function runSession(plan: SessionPlan, deps: SessionDeps): Promise<SessionEnd> {
  const state = begin(plan, deps);
  for (;;) {
    const stop = firstStopReason(state, deps);
    if (stop) return finish(state, deps, stop);
    const turn = await takeTurn(state, deps);
    if ('end' in turn) return finish(state, deps, turn.end);
    const end = await actOn(turn.answer, state, deps);
    if (end) return finish(state, deps, end);
  }
}

function begin(plan: SessionPlan, deps: SessionDeps): SessionState {
  const messages: SessionState['messages'] = [
    { role: 'user', content: [{ type: 'text', text: wellFormed(plan.firstMessage) }] },
  ];
  deps.transcript.begin({ model: plan.model, system: plan.system, tools: deps.tools.definitions, messages });
  return {
    plan,
    messages,
    turns: 0,
    startedAt: deps.clock.monotonic(),
    cutAnswers: 0,
    badTurns: 0,
    pauses: 0,
    reminded: false,
    announced: new Set(),
    loop: FRESH_GUARD,
  };
}

function firstStopReason(state: SessionState, deps: SessionDeps): Ending | null {
  return deps.signal.aborted ? interrupted() : limitReached(state.plan.limits, useOf(state, deps));
}

function useOf({ turns, startedAt }: SessionState, deps: SessionDeps): SessionUse {
  return { turns, ms: deps.clock.monotonic() - startedAt, money: deps.moneyLeft?.() ?? null };
}

async function takeTurn(
  state: SessionState,
  { model, tools, transcript, signal, observer }: SessionDeps,
): Promise<{ answer: Answer } | { end: Ending }> {
  const { plan } = state;
  try {
    const answer = await model.send(
      {
        model: plan.model,
        maxTokens: plan.maxTokens,
        system: [{ type: 'text', text: plan.system }],
        tools: tools.definitions,
        messages: state.messages,
      },
      signal,
    );
    state.turns++;
    transcript.answer(answer);
    observer.turnEnded({
      turn: state.turns,
      stopReason: String(answer.stop_reason),
      contextTokens: contextTokens(answer.usage),
      tools: answer.content.flatMap(block => (block.type === 'tool_use' ? [block.name] : [])),
    });
    return { answer: sendableAnswer(answer, state.messages) };
  } catch (error) {
    return { end: endOfFailedTurn(error, signal) };
  }
}

async function actOn(answer: Answer, state: SessionState, deps: SessionDeps): Promise<Ending | null> {
  const step = nextStep(answer, state);
  if (step.kind === 'end') return step;
  if (answer.content.length > 0) {
    add(state, { role: 'assistant', content: answer.content as ContentBlock[] });
  }
  state.cutAnswers = step.kind === 'refuse_cut' ? state.cutAnswers + 1 : 0;
  state.pauses = step.kind === 'continue' ? state.pauses + 1 : 0;
  switch (step.kind) {
    case 'continue':
      return null;
    case 'remind':
      state.reminded = true;
      say(refuseCalls([], deps.reminders.unfinished), state, deps);
      return null;
    case 'refuse_cut':
      say(refuseCalls(step.calls, deps.reminders.cut), state, deps);
      return null;
    case 'run_tools':
      return runTools(step.calls, state, deps);
  }
}

async function runTools(
  calls: readonly ToolCall[],
  state: SessionState,
  deps: SessionDeps,
): Promise<Ending | null> {
  const phase = await runToolPhase(calls, state.turns, deps);
  state.badTurns = phase.allBad ? state.badTurns + 1 : 0;
  const { guard, verdict: loop } = watchTurn(state.loop, phase.calls);
  state.loop = guard;
  const end = endAfterTools({ verdict: phase.verdict, badTurns: state.badTurns, loop });
  if (end) {
    // The model never reads it, but what its tools answered belongs to the transcript.
    deps.transcript.message(phase.message);
    return end;
  }
  const nudge = loop.kind === 'nudge' ? loadPrompt('reminder-loop', { what: loop.what }) : null;
  say(withText(phase.message, nudge), state, deps);
  return null;
}

/** Adds a message of the loop and, when that is due, the word that the session is running out. */
function say(message: Message, state: SessionState, deps: SessionDeps): void {
  const due = wrapUpDue(state.plan.limits, useOf(state, deps), state.announced);
  if (due) state.announced = new Set([...state.announced, ...due.limits]);
  const notice = due && loadPrompt('reminder-wrap-up', { what: due.what, turns: String(due.turns) });
  const whole = wellFormed(withText(message, notice));
  add(state, whole);
  deps.transcript.message(whole);
}

function withText(message: Message, text: string | null): Message {
  if (text === null || typeof message.content === 'string') return message;
  return { ...message, content: [...message.content, { type: 'text', text }] } as Message;
}

/** Roles alternate: what follows a message of the same role (after a pause, or an answer without content) joins it. */
function add(state: SessionState, message: Message): void {
  const last = state.messages.at(-1);
  if (last?.role === message.role && Array.isArray(last.content) && Array.isArray(message.content)) {
    state.messages[state.messages.length - 1] = {
      ...last,
      content: [...last.content, ...message.content],
    } as Message;
  } else {
    state.messages.push(message);
  }
}

function finish(state: SessionState, deps: SessionDeps, ending: Ending): SessionEnd {
  deps.transcript.end(ending.reason, ending.summary);
  return { verdict: null, ...ending, turns: state.turns };
}
