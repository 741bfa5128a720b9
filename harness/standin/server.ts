// The stand-in for the Messages API: an HTTP server on loopback that plays a scenario.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import { apiError } from './api-error.js';
import type { Accepts } from './check-request.js';
import { type Billed, MessagesEndpoint } from './messages-endpoint.js';
import { type StandinModel, standinModels } from './models.js';
import { answerModels } from './models-endpoint.js';
import { json, type Outcome, type Received, refusal } from './outcome.js';
import type { Scenario } from './scenario.js';
import { pause, transmit } from './transmission.js';
import type { Usage } from './usage.js';

export interface StandinOptions {
  scenario: Scenario;
  /** Default: one that is free. */
  port?: number;
  clock?: Clock;
  /** Dollars of one request. Without it nothing is priced. */
  prices?: (model: string, usage: Usage) => number;
  /** Default: all of `standinModels`. A request for another model is a 404. */
  models?: readonly StandinModel[];
  /** Default: whatever the API takes. */
  accepts?: Accepts;
}

export interface ReceivedRequest {
  /** Wall time, ms. */
  at: number;
  path: string;
  /** The body's text as it came, for comparisons byte by byte. */
  text: string;
  /** The parsed body; undefined when it is not JSON. */
  body: unknown;
}

export interface Standin {
  /** The base URL for a client. */
  readonly url: string;
  /** Every body received, refused ones too, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** Every answer that costs, entered when the last of its bytes is out. */
  readonly billed: readonly Billed[];
  /** Sum of `billed`; null without a price function. */
  readonly billedUsd: number | null;
  /** Ends at once, with all connections, also silent ones. */
  close(): Promise<void>;
}

export async function startStandin(options: StandinOptions): Promise<Standin> {
  const { scenario, clock = systemClock, models = standinModels, accepts = {}, prices } = options;
  const requests: ReceivedRequest[] = [];
  const messages = new MessagesEndpoint({ scenario, models, accepts, clock, prices });
  let arrived = 0;

  const server = createServer((request, response) => {
    const requestId = `req_standin_${String(++arrived).padStart(6, '0')}`;
    void serve({ request, response, requestId }).catch(() => response.destroy());
  });

  async function serve({ request, response, requestId }: Exchange): Promise<void> {
    // A client may go away at any time; that is its right and no fault of ours.
    response.on('error', () => {});
    const received = await read(request, requestId);
    if (received.method === 'POST') requests.push(recordOf(received, clock));
    await play(response, await outcomeOf(received), { requestId, clock });
  }

  async function outcomeOf(received: Received): Promise<Outcome> {
    try {
      return await route(received, { scenario, models, accepts, messages });
    } catch (error) {
      return refusal(received, apiError('api_error', `the stand-in failed: ${messageOf(error)}`));
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    billed: messages.billed,
    get billedUsd() {
      return prices === undefined ? null : messages.billed.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
}

interface Routes {
  scenario: Scenario;
  models: readonly StandinModel[];
  accepts: Accepts;
  messages: MessagesEndpoint;
}

function route(
  received: Received,
  { scenario, models, accepts, messages }: Routes,
): Outcome | Promise<Outcome> {
  const line = `${received.method} ${received.path}`;
  if (line === 'POST /v1/messages') return messages.answer(received);
  if (line === 'POST /v1/messages/count_tokens') return messages.count(received);
  if (/^GET \/v1\/models(\/[^/]+)?$/.test(line)) return answerModels(received, models, accepts);
  if (/^(GET|HEAD) \/$/.test(line)) return json(200, { stand_in: scenario.name });
  return refusal(received, apiError('not_found_error', `Not found: ${line}`));
}

/** Sends an outcome as far as the other side lets it, and says so to its owner. */
async function play(
  response: ServerResponse,
  outcome: Outcome,
  { requestId, clock }: { requestId: string; clock: Clock },
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { delayMs = 0, headers, status, steps } = outcome;
  const waited = !response.destroyed && (delayMs === 0 || (await pause(delayMs, clock, gone.signal)));
  if (!waited) return outcome.settled?.('');
  response.writeHead(status, { 'request-id': requestId, ...headers });
  response.flushHeaders();
  const sent = await transmit(response, steps, { clock, signal: gone.signal });
  outcome.settled?.(sent.toString('utf8'));
}

async function read(request: IncomingMessage, requestId: string): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return {
    requestId,
    method: request.method ?? 'GET',
    path: (request.url ?? '/').replace(/\?.*/, ''),
    headers: request.headers,
    bytes: Buffer.concat(chunks),
  };
}

function recordOf({ path, bytes }: Received, clock: Clock): ReceivedRequest {
  const text = bytes.toString('utf8');
  return { at: clock.now(), path, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
