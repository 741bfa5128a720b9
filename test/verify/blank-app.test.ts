// The app that has nothing.

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlankApp, startBlankApp } from '../../harness/verify/blank-app.js';

let blank: BlankApp;
beforeEach(async () => {
  blank = await startBlankApp();
});
afterEach(() => blank.close());

describe('the blank app', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/deep/er?x=1'],
    ['GET', '/app.js'],
    ['HEAD', '/x'],
    ['POST', '/api/cards'],
    ['DELETE', '/api/cards/1'],
  ])('answers %s %s with an empty page', async (method, path) => {
    const body = method === 'POST' ? 'x'.repeat(1_000_000) : undefined;
    const response = await fetch(blank.url + path, { method, ...(body === undefined ? {} : { body }) });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    const text = await response.text();
    if (method !== 'HEAD') expect(text).toContain('<body></body>');
  });

  it('listens on loopback only', () => {
    expect(new URL(blank.url).hostname).toBe('127.0.0.1');
  });

  it('closes although a browser holds connections open, before a request and in the middle of one', async () => {
    const { port } = new URL(blank.url);
    const sockets = ['', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n'].map(begun => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(begun));
      return socket;
    });
    await Promise.all(sockets.map(socket => once(socket, 'connect')));
    await fetch(blank.url);
    for (const socket of sockets) socket.on('error', () => {}).resume();
    const closed = Promise.all(sockets.map(socket => once(socket, 'close')));
    await blank.close();
    await closed;
    await expect(fetch(blank.url)).rejects.toThrow();
  });
});
