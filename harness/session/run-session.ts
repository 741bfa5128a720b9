// One session: a fresh conversation, turn by turn, until something ends it.

import { messageOf } from '../base/errors.js';
import type { SessionEndReason } from '../journal/records.js';
import { BudgetExceeded } from '../model/budgeted-model.js';
import { type Answer, type ContentBlock, type Message, ModelError, type ModelFault } from '../model/model.js';
import { nextStep } from './next-step.js';
import type { SessionDeps, SessionEnd, SessionPlan, SessionState } from './session-types.js';
import { refuseCalls, runToolPhase } from './tool-phase.js';

/** Turns in a row whose calls no tool could take; then the session is over. */
const MOST_BAD_TURNS = 3;

export async function runSession(plan: SessionPlan, deps: SessionDeps): Promise<SessionEnd> {
  const state = begin(plan, deps);
  for (;;) {
    const limit = limitReached(plan, state, deps);
    if (limit) return finish(state, deps, limit);
    const turn = await takeTurn(plan, state, deps);
    if ('end' in turn) return finish(state, deps, turn.end);
    const end = await actOn(turn.answer, state, deps);
    if (end) return finish(state, deps, end);
  }
}

type Ending = Omit<SessionEnd, 'turns' | 'verdict'> & Partial<Pick<SessionEnd, 'verdict'>>;

function begin(plan: SessionPlan, deps: SessionDeps): SessionState {
  const messages: SessionState['messages'] = [
    { role: 'user', content: [{ type: 'text', text: plan.firstMessage }] },
  ];
  deps.transcript.begin({ model: plan.model, system: plan.system, tools: deps.tools.definitions, messages });
  return {
    messages,
    turns: 0,
    startedAt: deps.clock.monotonic(),
    cutAnswers: 0,
    badTurns: 0,
    pauses: 0,
    reminded: false,
  };
}

function limitReached({ limits }: SessionPlan, state: SessionState, deps: SessionDeps): Ending | null {
  if (deps.signal.aborted) return interrupted();
  if (state.turns >= limits.turns)
    return { reason: 'turn_limit', summary: `All ${limits.turns} turns were used.` };
  if (deps.clock.monotonic() - state.startedAt >= limits.ms) {
    return {
      reason: 'time_limit',
      summary: `The session's ${Math.round(limits.ms / 60_000)} minutes were used.`,
    };
  }
  return null;
}

async function takeTurn(
  plan: SessionPlan,
  state: SessionState,
  { model, tools, transcript, signal, observer }: SessionDeps,
): Promise<{ answer: Answer } | { end: Ending }> {
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
      contextTokens: contextTokens(answer),
      tools: answer.content.flatMap(block => (block.type === 'tool_use' ? [block.name] : [])),
    });
    return { answer };
  } catch (error) {
    return { end: endOfFailedTurn(error, signal) };
  }
}

async function actOn(answer: Answer, state: SessionState, deps: SessionDeps): Promise<Ending | null> {
  const step = nextStep(answer, state);
  if (step.kind === 'end') return step;
  const content = answer.content.filter(block => block.type !== 'text' || block.text.trim() !== '');
  if (content.length > 0) add(state, { role: 'assistant', content: content as ContentBlock[] });
  state.cutAnswers = step.kind === 'refuse_cut' ? state.cutAnswers + 1 : 0;
  state.pauses = step.kind === 'continue' ? state.pauses + 1 : 0;
  switch (step.kind) {
    case 'continue':
      return null;
    case 'remind':
      state.reminded = true;
      say(state, deps, refuseCalls([], deps.reminders.unfinished));
      return null;
    case 'refuse_cut':
      say(state, deps, refuseCalls(step.calls, deps.reminders.cut));
      return null;
    case 'run_tools': {
      const phase = await runToolPhase(step.calls, state.turns, deps);
      say(state, deps, phase.message);
      state.badTurns = phase.allBad ? state.badTurns + 1 : 0;
      if (phase.verdict) return endOfVerdict(phase.verdict);
      if (state.badTurns < MOST_BAD_TURNS) return null;
      return {
        reason: 'bad_calls',
        summary: `${MOST_BAD_TURNS} turns in a row had only calls that no tool could take.`,
      };
    }
  }
}

function say(state: SessionState, { transcript }: SessionDeps, message: Message): void {
  add(state, message);
  transcript.message(message);
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

function endOfVerdict(verdict: NonNullable<SessionEnd['verdict']>): Ending {
  if (verdict.kind === 'feature_verified') {
    return { reason: 'feature_verified', summary: `${verdict.feature} was verified and committed.`, verdict };
  }
  return { reason: 'finished', summary: verdict.summary, verdict };
}

/** What each lasting fault of the API means for a session; the passing ones are waited out below us. */
const END_OF_FAULT: Readonly<Record<ModelFault, SessionEndReason>> = {
  rate_limit: 'fault',
  overloaded: 'fault',
  network: 'fault',
  auth: 'api_error',
  billing: 'api_error',
  model: 'api_error',
  too_long: 'context_full',
  invalid: 'fault',
};

function endOfFailedTurn(error: unknown, signal: AbortSignal): Ending {
  if (signal.aborted) return interrupted();
  if (error instanceof BudgetExceeded) return { reason: 'budget', summary: messageOf(error) };
  if (error instanceof ModelError) return { reason: END_OF_FAULT[error.fault], summary: messageOf(error) };
  throw error;
}

function interrupted(): Ending {
  return { reason: 'interrupted', summary: 'The session was interrupted.' };
}

function finish(state: SessionState, deps: SessionDeps, ending: Ending): SessionEnd {
  deps.transcript.end(ending.reason, ending.summary);
  return { verdict: null, ...ending, turns: state.turns };
}

/** Size of the conversation after an answer, as the API counted it. */
function contextTokens({ usage }: Answer): number {
  return (
    (usage.input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.output_tokens ?? 0)
  );
}
