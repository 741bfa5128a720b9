// POST /v1/messages and /v1/messages/count_tokens: checks a request, asks the scenario, keeps the accounts.

import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import { answerOf, type MessageReply, wholeMessage } from './answer.js';
import { apiError } from './api-error.js';
import { askOf } from './ask.js';
import { type Accepts, type CheckedRequest, checkRequest } from './check-request.js';
import type { StandinModel } from './models.js';
import { json, type Outcome, type Received, refusal } from './outcome.js';
import { fillPlaceholders } from './placeholders.js';
import { PromptCache } from './prompt-cache.js';
import { totalTokens } from './prompt-segments.js';
import { recordedSteps } from './recorded-answer.js';
import type { Endpoint } from './request-shape.js';
import type { Reply, Scenario } from './scenario.js';
import { contentOf, eventsOf, readEvents, type StreamEvent, sseText } from './stream-events.js';
import { ThinkingMemory } from './thinking-memory.js';
import { cutSteps, send } from './transmission.js';
import { billedUsage, promptUsage, type Usage } from './usage.js';

export interface Billed {
  /** `Ask.count` of the request. */
  request: number;
  model: string;
  usage: Usage;
  /** The answer went out whole. */
  whole: boolean;
  /** Null without a price function. */
  usd: number | null;
}

export interface MessagesDeps {
  scenario: Scenario;
  models: readonly StandinModel[];
  accepts: Accepts;
  clock: Clock;
  prices: ((model: string, usage: Usage) => number) | undefined;
}

/** A request that passed the checks. */
interface Call extends CheckedRequest {
  count: number;
}

export class MessagesEndpoint {
  /** Every answer that costs, in the order in which they went out. */
  readonly billed: Billed[] = [];
  readonly #deps: MessagesDeps;
  readonly #cache: PromptCache;
  readonly #memory = new ThinkingMemory();
  /** Keeps ids apart from those of an earlier server whose conversation goes on here. */
  readonly #seed = randomUUID();
  #asked = 0;

  constructor(deps: MessagesDeps) {
    this.#deps = deps;
    this.#cache = new PromptCache(deps.clock);
  }

  async answer(received: Received): Promise<Outcome> {
    const count = ++this.#asked;
    const checked = this.#check('messages', received);
    if ('error' in checked) return refusal(received, checked.error);
    const { scenario } = this.#deps;
    let reply: Reply;
    try {
      reply = await scenario.reply(askOf(checked.body, count));
    } catch (error) {
      const reason = `${scenario.name}: ${messageOf(error)}`;
      return refusal(received, apiError('invalid_request_error', reason));
    }
    return this.#outcomeOf(reply, { ...checked, count });
  }

  count(received: Received): Outcome {
    const checked = this.#check('count_tokens', received);
    if ('error' in checked) return refusal(received, checked.error);
    return json(200, { input_tokens: totalTokens(checked.segments) });
  }

  #outcomeOf(reply: Reply, call: Call): Outcome {
    if (reply.kind === 'message') return this.#message(call, reply);
    if (reply.kind === 'sse') return this.#recording(call, reply.body);
    return this.#http(call, reply);
  }

  #message(call: Call, reply: MessageReply): Outcome {
    const answer = answerOf(reply, {
      body: call.body,
      promptUsage: promptUsage(this.#cache.use(call.owner, call.segments)),
      seed: createHash('sha256').update(`${this.#seed}${call.count}`).digest('hex').slice(0, 22),
    });
    const events = eventsOf(answer);
    const streams = call.body.stream === true;
    const steps = streams
      ? events.map(event => send(sseText(event)))
      : [send(JSON.stringify(wholeMessage(answer)))];
    return {
      status: 200,
      headers: { 'content-type': streams ? 'text/event-stream' : 'application/json' },
      steps: reply.cut === undefined ? steps : cutSteps(steps, reply.cut),
      delayMs: reply.delayMs ?? 0,
      // Without streaming the model has written everything before the first byte goes out: all of it is billed.
      settled: sent => this.#settle(call, events, streams ? readEvents(sent) : events),
    };
  }

  #recording(call: Call, recording: string): Outcome {
    const body = fillPlaceholders(recording, this.#moment(call));
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      steps: recordedSteps(body, call.body.model),
      settled: sent => this.#settle(call, readEvents(`${body}\n`), readEvents(sent)),
    };
  }

  #http(call: Call, reply: Extract<Reply, { kind: 'http' }>): Outcome {
    const moment = this.#moment(call);
    const headers = Object.entries(reply.headers ?? {})
      .map(([name, value]): [string, string] => [name.toLowerCase(), fillPlaceholders(value, moment)])
      // The body's length is what is sent, whatever a recording said of it.
      .filter(([name]) => name !== 'content-length');
    return {
      status: reply.status,
      headers: { 'content-type': 'application/json', ...Object.fromEntries(headers) },
      steps: [send(fillPlaceholders(reply.body, moment))],
    };
  }

  /** Enters what an answer costs and what was thought in it, as far as it was sent. */
  #settle(call: Call, all: readonly StreamEvent[], sent: readonly StreamEvent[]): void {
    const usage = billedUsage(all, sent);
    if (usage === undefined) return;
    this.#memory.remember(contentOf(sent));
    const whole = sent.some(event => event.type === 'message_stop');
    const { model } = call.body;
    const usd = this.#deps.prices?.(model, usage) ?? null;
    this.billed.push({ request: call.count, model, usage, whole, usd });
  }

  #check(endpoint: Endpoint, { headers, bytes }: Received) {
    const { models, accepts } = this.#deps;
    return checkRequest({ endpoint, headers, bytes, models, accepts, memory: this.#memory });
  }

  #moment({ count }: Call) {
    return { count, now: this.#deps.clock.now() };
  }
}
