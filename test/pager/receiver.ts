// A receiver of pages on loopback, in the moods that receivers have.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Mood =
  | 'ok'
  | '500'
  | '404'
  | 'hang'
  | 'slow'
  | 'trickle'
  | 'reset'
  | 'redirect'
  | 'redirect-away';

export interface Receiver {
  url: string;
  /** Bodies in the order in which they came. */
  bodies: string[];
  mood: Mood;
}

/** `redirect` leads back to itself for ever, `redirect-away` to `away`, `trickle` says ok and never ends saying it. */
export async function receiver(mood: Mood, away = ''): Promise<Receiver> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      state.bodies.push(body);
      answer(state.mood, request, response, away);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const state: Receiver = { url: `http://127.0.0.1:${port}/hook/T0/secret-path-token`, bodies: [], mood };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return state;
}

/** An address of loopback where nobody listens. */
export async function nobody(): Promise<string> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

function answer(mood: Mood, request: IncomingMessage, response: ServerResponse, away: string): void {
  switch (mood) {
    case 'ok':
      response.end('ok');
      return;
    case '500':
    case '404':
      response.writeHead(Number(mood)).end('no');
      return;
    case 'hang':
      return;
    case 'slow':
      setTimeout(() => response.end('ok'), 45_000).unref();
      return;
    case 'trickle':
      response.writeHead(200).write('o');
      return;
    case 'reset':
      request.socket.destroy();
      return;
    case 'redirect':
      response.writeHead(302, { location: '/' }).end();
      return;
    case 'redirect-away':
      response.writeHead(307, { location: away }).end();
      return;
  }
}
