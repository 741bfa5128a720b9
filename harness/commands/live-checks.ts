// What `doctor --live` asks the API: is the key good, the model known, each trained tool type taken, a prefix cached.

import { oneLine } from '../base/cut-text.js';
import { messageOf } from '../base/errors.js';
import { loadPrompt } from '../context/prompts.js';
import { BudgetExceeded } from '../model/budgeted-model.js';
import { inputBound } from '../model/input-bound.js';
import { type Answer, type Model, ModelError, type ModelFault, type ModelRequest } from '../model/model.js';
import { dearestInputCost, type ModelPrice, outputCost } from '../model/prices.js';
import type { Verdict } from '../model/seen-api.js';
import { TRAINED_TOOLS, type TrainedDefinition, type TrainedType } from '../model/trained-tools.js';
import { inputTokens, tokenCounts } from '../model/usage.js';
import { sessionPrefix } from '../runner/session-prefix.js';
import type { TrainedTypes } from '../tools/tool-definitions.js';
import { plainLine } from '../watch/plain-text.js';
import type { Finding } from './finding.js';

export interface LiveParts {
  /** Under a cap: what does not fit any more is not asked. */
  api: Model;
  /** Free of charge. */
  countTokens(request: ModelRequest, signal: AbortSignal): Promise<number>;
  /** As it is named to people. */
  address: string;
  /** Id of the model. */
  model: string;
  signal: AbortSignal;
  /** Told one by one, as they become known. */
  tell(finding: Finding): void;
}

export type Verdicts = Partial<Record<TrainedType, Verdict>>;

/** Enough for a word; what it says does not matter. */
const ANSWER_TOKENS = 16;
const MESSAGE_BYTES = 300;

/** The types that runs send when they are accepted. */
const SENT = [TRAINED_TOOLS.bash, TRAINED_TOOLS.textEditor];

/** @returns the verdict on each type that the API decided about. */
export async function liveChecks(parts: LiveParts): Promise<Verdicts> {
  if (!(await isReached(parts))) return {};
  const verdicts: Verdicts = {};
  for (const tool of SENT) Object.assign(verdicts, await verdictOn(tool, parts));
  const accepted = new Set(SENT.flatMap(({ type }) => (verdicts[type] === 'accepted' ? [type] : [])));
  if (!(await isPrefixTaken(accepted, parts))) for (const type of accepted) verdicts[type] = 'refused';
  return { ...verdicts, ...(await verdictOn(TRAINED_TOOLS.browser, parts)) };
}

/** How many calls that is at most, and the most that they can cost, whatever the API answers. */
export function worstCase(model: string, price: ModelPrice): { calls: number; usd: number } {
  const prefix = prefixRequest(model, new Set(SENT.map(({ type }) => type)));
  const requests = [
    smallRequest(model, []),
    ...SENT.map(tool => smallRequest(model, [tool])),
    prefix,
    prefix,
  ];
  const usd = requests.reduce(
    (sum, request) =>
      sum + dearestInputCost(inputBound(undefined, request), price) + outputCost(ANSWER_TOKENS, price),
    0,
  );
  return { calls: requests.length, usd };
}

async function isReached(parts: LiveParts): Promise<boolean> {
  const { address, model, tell } = parts;
  const outcome = await send(smallRequest(model, []), parts);
  if ('answer' in outcome) {
    tell({ what: 'api', state: 'ok', text: `${address} takes the key` });
    tell({ what: 'model', state: 'ok', text: `${model} answers` });
    return true;
  }
  const { fault, message } = outcome;
  if (fault === 'too_dear') tell({ what: 'api', state: 'better', text: `not asked: ${message}` });
  else if (fault === 'model')
    tell({ what: 'model', state: 'needed', text: `${address} does not know ${model}: ${message}` });
  else tell({ what: 'api', state: 'needed', text: `${address} ${UNREACHED[fault]}: ${message}` });
  return false;
}

const UNREACHED: Readonly<Record<Exclude<ModelFault, 'model'>, string>> = {
  auth: 'refuses the key',
  billing: 'takes the key, but the account cannot pay',
  network: 'is not reached',
  rate_limit: 'is busy now, try again later',
  overloaded: 'is busy now, try again later',
  too_long: 'refuses a plain request',
  invalid: 'refuses a plain request',
};

const USE: Readonly<Record<TrainedType, string>> = {
  bash_20250124: 'runs send it',
  text_editor_20250728: 'runs send it',
  browser_toolset_20260801:
    'runs do not send it: the browser tool of Longhaul stays, which is no driver for its members',
};

/** A plain request was answered before, so that a 400 for the same one with a tool in it is about the tool. */
async function verdictOn(tool: TrainedDefinition, parts: LiveParts): Promise<Verdicts> {
  const { type: what } = tool;
  const request = smallRequest(parts.model, [tool]);
  // The toolset has a long definition and runs do not send it: to have it counted is enough.
  const outcome = SENT.some(({ type }) => type === what)
    ? await send(request, parts)
    : await outcomeOf(parts.countTokens(request, parts.signal));
  if ('answer' in outcome) {
    parts.tell({ what, state: 'ok', text: `accepted; ${USE[what]}` });
    return { [what]: 'accepted' };
  }
  if (outcome.fault !== 'invalid') {
    parts.tell({ what, state: 'better', text: `not looked at: ${outcome.message}` });
    return {};
  }
  parts.tell({ what, state: 'better', text: `refused, runs do without it: ${outcome.message}` });
  return { [what]: 'refused' };
}

/** Sends what every session begins with, twice. False when the API refuses it with the trained types in it. */
async function isPrefixTaken(accepted: TrainedTypes, parts: LiveParts): Promise<boolean> {
  const request = prefixRequest(parts.model, accepted);
  const first = await send(request, parts);
  const second = 'answer' in first ? await send(request, parts) : first;
  if ('answer' in second) {
    parts.tell(cacheFinding('answer' in first ? first.answer : second.answer, second.answer));
    return true;
  }
  const isRefused = second.fault === 'invalid' && !('answer' in first);
  if (!isRefused) {
    parts.tell({ what: 'cache', state: 'better', text: `not looked at: ${second.message}` });
    return true;
  }
  const text =
    accepted.size > 0
      ? `refused together with the trained types, runs do without them: ${second.message}`
      : `what every session begins with is refused: ${second.message}`;
  parts.tell({ what: 'prefix', state: accepted.size > 0 ? 'better' : 'needed', text });
  return accepted.size === 0;
}

function cacheFinding(first: Answer, second: Answer): Finding {
  const size = inputTokens(second.usage);
  const { cacheRead } = tokenCounts(second.usage);
  if (cacheRead > 0) {
    return {
      what: 'cache',
      state: 'ok',
      text: `the second call read ${cacheRead} of ${size} tokens from it`,
    };
  }
  const before = tokenCounts(first.usage);
  const why =
    before.cacheWrite + before.cacheRead > 0
      ? 'what the first call had written was not read by the second'
      : `the model caches nothing as short as ${size} tokens, or this address caches nothing`;
  return { what: 'cache', state: 'better', text: `not used, sessions cost more: ${why}` };
}

function smallRequest(model: string, tools: ModelRequest['tools']): ModelRequest {
  const text = loadPrompt('doctor');
  return {
    model,
    maxTokens: ANSWER_TOKENS,
    system: [],
    tools,
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  };
}

function prefixRequest(model: string, accepted: TrainedTypes): ModelRequest {
  const { system, tools } = sessionPrefix(accepted);
  return { ...smallRequest(model, tools), system: [{ type: 'text', text: system }] };
}

type Outcome<T> = { answer: T } | { fault: ModelFault | 'too_dear'; message: string };

function send(request: ModelRequest, { api, signal }: LiveParts): Promise<Outcome<Answer>> {
  return outcomeOf(api.send(request, signal));
}

async function outcomeOf<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { answer: await call };
  } catch (error) {
    if (error instanceof BudgetExceeded) return { fault: 'too_dear', message: messageOf(error) };
    if (error instanceof ModelError) {
      // What a gateway says goes to a terminal.
      return { fault: error.fault, message: oneLine(plainLine(error.message), MESSAGE_BYTES) };
    }
    throw error;
  }
}
