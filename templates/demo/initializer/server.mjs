// The board's server: its page, its data as JSON, and the changes that people make. Listens on this machine only.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { firstBoard } from './board.mjs';
import { openStore } from './store.mjs';

const store = openStore(process.env.DATA_DIR ?? '.data');

/** A change is a request that may not run beside another one: it loads the board, changes it and saves it. */
const changes = {
  async '/reset'() {
    const board = firstBoard();
    await store.save(board);
    return board;
  },
};

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

async function answer(request, response) {
  const { pathname } = new URL(request.url, 'http://board');
  if (request.method === 'GET' && pathname === '/api/board') {
    return sendJson(response, 200, await store.load());
  }
  if (request.method === 'GET') return sendFile(response, pathname === '/' ? '/index.html' : pathname);

  const change = request.method === 'POST' && Object.hasOwn(changes, pathname) ? changes[pathname] : null;
  if (!change) return sendJson(response, 404, { error: 'There is nothing here.' });
  return sendJson(response, 200, await inTurn(async () => change(await readJson(request))));
}

let lastChange = Promise.resolve();

/** Runs one change after the other, so that two people who save at once both keep their work. */
function inTurn(change) {
  const result = lastChange.then(change);
  lastChange = result.catch(() => {});
  return result;
}

async function readJson(request) {
  // A page of another site cannot send this type without asking first, so it cannot change the board.
  if (request.headers['content-type'] !== 'application/json') throw refusal(415, 'Changes are sent as JSON.');
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > 10_000) throw refusal(413, 'That is too long for a card.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(400, 'That is not JSON.');
  }
}

function refusal(status, message) {
  return Object.assign(new Error(message), { status });
}

function sendJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

async function sendFile(response, name) {
  const type = TYPES[extname(name)];
  // One plain name: no folder, no way up.
  const file = type && /^\/[a-z-]+\.[a-z]+$/.test(name) && (await readPublic(name));
  if (!file) return sendJson(response, 404, { error: 'There is nothing here.' });
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
  response.end(file);
}

async function readPublic(name) {
  try {
    return await readFile(new URL(`public${name}`, import.meta.url));
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

const server = createServer((request, response) => {
  answer(request, response).catch(error => {
    if (!error.status) console.error(error);
    const message = error.status ? error.message : 'The board could not do that.';
    sendJson(response, error.status ?? 500, { error: message });
  });
});

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`The garden board is at http://127.0.0.1:${server.address().port}`);
});
