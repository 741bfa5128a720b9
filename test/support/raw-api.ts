// A server that answers byte for byte what a test tells it, also what no decent server would say.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { caseText } from './cases.js';

/** How an answer's body ends: well, with the connection dropped, or not at all. */
export type BodyEnd = 'close' | 'reset' | 'hang';

export type RawAnswer = (response: ServerResponse, request: IncomingMessage) => void;

export interface RawApi {
  url: string;
  /** Bodies of the requests, in the order they came. */
  bodies: string[];
  /** Paths of the requests. */
  paths: string[];
}

/** Answers the n-th request with the n-th answer, and all that follow with the last one. */
export async function rawApi(...answers: RawAnswer[]): Promise<RawApi> {
  const bodies: string[] = [];
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      paths.push(request.url ?? '');
      bodies.push(Buffer.concat(chunks).toString());
      answers[Math.min(bodies.length, answers.length) - 1]?.(response, request);
    });
    request.on('error', () => {});
    response.on('error', () => {});
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>(resolve => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, paths };
}

/** An event stream of these bytes. */
export function sse(body: string | Buffer, end: BodyEnd = 'close'): RawAnswer {
  return response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    sendAndEnd(response, body, end);
  };
}

/** An answer with status, headers and body. */
export function http(status: number, headers: Record<string, string>, body: string | Buffer): RawAnswer {
  return response => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** An error as the API words it. */
export function apiError(
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
  details?: object,
): RawAnswer {
  const body = JSON.stringify({ type: 'error', error: { type, message, details } });
  return http(status, { 'content-type': 'application/json', ...headers }, body);
}

/** A recorded stream of the case library; its orders to the replayer are followed, sleeps apart. */
export function caseStream(name: string): RawAnswer {
  const text = caseText(name);
  const orders = [...text.matchAll(/^: @(\w+).*$/gm)].map(match => match[1]);
  const end = orders.includes('hang') ? 'hang' : orders.includes('reset') ? 'reset' : 'close';
  return sse(
    text.replace(/^: @.*\n?/gm, ''),
    end === 'close' && !text.includes('message_stop') ? 'reset' : end,
  );
}

/** A recorded whole answer of the case library. */
export function caseAnswer(name: string, nowMs = Date.now()): RawAnswer {
  const [head = '', body = ''] = caseText(name).split(/\r?\n\r?\n/);
  const [statusLine = '', ...lines] = head.split(/\r?\n/);
  const headers = Object.fromEntries(
    lines.map(line => line.split(/: (.*)/).slice(0, 2)).filter(([name]) => name !== 'content-length'),
  );
  for (const [name, value] of Object.entries<string>(headers)) {
    const seconds = /^@now\+(\d+)s$/.exec(value)?.[1];
    if (seconds) headers[name] = new Date(nowMs + Number(seconds) * 1000).toISOString();
  }
  return http(Number(statusLine.split(' ')[1]), headers, body);
}

function sendAndEnd(response: ServerResponse, body: string | Buffer, end: BodyEnd): void {
  if (body.length === 0 && end !== 'close') response.flushHeaders();
  if (end === 'close') response.end(body);
  else if (end === 'hang') response.write(body);
  else response.write(body, () => response.socket?.resetAndDestroy());
}
