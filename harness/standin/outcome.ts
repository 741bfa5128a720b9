// What the server does with a request: a status, headers and the steps of a body.

import type { IncomingHttpHeaders } from 'node:http';
import { type ApiError, errorBody } from './api-error.js';
import { type Step, send } from './transmission.js';

/** A request whose body has been read. */
export interface Received {
  /** Goes into the `request-id` header and into the body of an error. */
  requestId: string;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

export interface Outcome {
  status: number;
  headers: Record<string, string>;
  steps: Step[];
  /** Pause before the head, ms. */
  delayMs?: number;
  /** Called once when no more will be sent, with the text that was. */
  settled?(sent: string): void;
}

export function json(status: number, body: unknown): Outcome {
  return jsonText(status, JSON.stringify(body));
}

export function refusal({ requestId }: Received, error: ApiError): Outcome {
  return jsonText(error.status, errorBody(error, requestId));
}

function jsonText(status: number, text: string): Outcome {
  return { status, headers: { 'content-type': 'application/json' }, steps: [send(text)] };
}
