// Asking a running process to stop or pause: one line of JSON over the socket that also is its lock.

import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { connect } from 'node:net';

/** `stop`: after this session. `stop_now`: as Ctrl-C. `pause`: now, and only a person's resume goes on. */
export type ControlRequest = 'stop' | 'stop_now' | 'pause';

const REQUESTS: ReadonlySet<string> = new Set<ControlRequest>(['stop', 'stop_now', 'pause']);
const LONGEST_LINE = 1_000;
const ANSWER_WITHIN_MS = 5_000;

export function newToken(): string {
  return randomBytes(16).toString('hex');
}

/** Answers one connection: a request with the right token is handed on, anything else is refused. */
export function serveControl(
  socket: Socket,
  token: string,
  onRequest: (request: ControlRequest) => void,
): void {
  let text = '';
  socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.setEncoding('utf8').on('data', chunk => {
    text += chunk;
    if (text.length > LONGEST_LINE) return socket.destroy();
    if (!text.includes('\n')) return;
    const request = readRequest(text, token);
    if (request) onRequest(request);
    socket.end(request ? 'ok\n' : 'refused\n');
  });
}

/** Sends a request to the process that listens at `address`. True when it took it. */
export function sendControl(address: string, token: string, request: ControlRequest): Promise<boolean> {
  return new Promise(resolve => {
    let answer = '';
    const socket = connect(address, () => socket.write(`${JSON.stringify({ token, request })}\n`));
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
    socket.setEncoding('utf8').on('data', chunk => {
      answer += chunk;
    });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(answer.trim() === 'ok'));
  });
}

function readRequest(text: string, token: string): ControlRequest | null {
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data !== 'object' || data === null || !('token' in data) || !('request' in data)) return null;
    const known = typeof data.request === 'string' && REQUESTS.has(data.request);
    return data.token === token && known ? (data.request as ControlRequest) : null;
  } catch {
    return null;
  }
}
