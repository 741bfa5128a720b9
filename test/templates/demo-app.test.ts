import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DEMO_FEATURE_IDS,
  type DemoSession,
  demoFeatures,
  demoFiles,
} from '../../harness/standin/demo/content.js';

const SESSIONS: DemoSession[] = ['initializer', ...DEMO_FEATURE_IDS];

interface Board {
  columns: { id: string; title: string; cards: { id: string; title: string }[] }[];
}

let folder: string;
let env: NodeJS.ProcessEnv;
let url: string;
let server: ChildProcess | null = null;

/** One server for the tests of a group: starting one takes longer than most of them. */
function runStage(last: DemoSession): void {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'demo-board-'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    env = { PATH: process.env.PATH, PORT: String(port), BASE_URL: url, DATA_DIR: join(folder, 'data') };
    writeStage(last);
    await start();
  });
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
}

/** The app as it is when a session has ended. */
function writeStage(last: DemoSession): void {
  for (const session of SESSIONS.slice(0, SESSIONS.indexOf(last) + 1)) {
    for (const { path, text } of demoFiles(session)) {
      const file = join(folder, 'app', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode: path === 'init.sh' ? 0o755 : 0o644 });
    }
  }
}

function init(verb: string): string {
  return execFileSync(join(folder, 'app', 'init.sh'), [verb], { env, encoding: 'utf8', stdio: 'pipe' });
}

async function start(): Promise<void> {
  server = spawn(join(folder, 'app', 'init.sh'), ['start'], { env, stdio: 'ignore' });
  for (;;) {
    const answered = await fetch(url).catch(() => null);
    if (answered) return;
    if (server.exitCode !== null) throw new Error(`the board ended with ${server.exitCode}`);
    await sleep(20);
  }
}

async function stop(): Promise<void> {
  if (!server || server.exitCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}

const getBoard = async (): Promise<Board> => (await fetch(`${url}/api/board`)).json() as Promise<Board>;

function post(path: string, body: unknown, type = 'application/json'): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url + path, { method: 'POST', headers: { 'content-type': type }, body: text });
}

const titles = (board: Board, column: string) =>
  board.columns.find(({ id }) => id === column)?.cards.map(card => card.title);

describe.each(SESSIONS)('the app after %s', last => {
  runStage(last);

  test('passes its own checks, answers smoke and shows the first board', async () => {
    init('setup');
    expect(init('check')).toContain('check: ok');
    expect(init('smoke')).toContain('smoke: ok');
    expect((await getBoard()).columns.map(({ title, cards }) => [title, cards.length])).toEqual([
      ['Next', 3],
      ['In hand', 2],
      ['Done', 2],
    ]);
  });

  test('adds cards from F-001 on and moves them from F-002 on', async () => {
    const added = await post('/api/cards', { column: 'next', title: 'Sow broad beans' });
    expect(added.status).toBe(SESSIONS.indexOf(last) >= 1 ? 201 : 404);
    const moved = await post('/api/moves', { card: 'c1' });
    expect(moved.status).toBe(SESSIONS.indexOf(last) >= 2 ? 200 : 404);
  });

  test('every file that the page names is served', async () => {
    const page = await (await fetch(url)).text();
    const names = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) expect((await fetch(url + name)).status, name).toBe(200);
  });
});

describe('the finished board', () => {
  runStage('F-003');
  beforeEach(() => post('/reset', {}));

  test('keeps added and moved cards when it is killed and started again', async () => {
    await post('/api/cards', { column: 'next', title: '  Sow broad beans ' });
    await post('/api/moves', { card: 'c1' });
    await stop();
    await start();
    const board = await getBoard();
    expect(titles(board, 'next')).toEqual([
      'Order seed potatoes',
      'Ask Ida for the gate key',
      'Sow broad beans',
    ]);
    expect(titles(board, 'in-hand')).toEqual([
      'Turn the compost',
      'Water the seedlings',
      'Mend the water butt',
    ]);
  });

  test('reset brings the first board back while it runs', async () => {
    const before = await getBoard();
    await post('/api/moves', { card: 'c1' });
    init('reset');
    expect(await getBoard()).toEqual(before);
  });

  test('keeps every card of people who add at the same moment', async () => {
    const wanted = Array.from({ length: 20 }, (_, index) => `Row ${index}`);
    await Promise.all(wanted.map(title => post('/api/cards', { column: 'done', title })));
    expect(
      titles(await getBoard(), 'done')
        ?.slice(2)
        .sort(),
    ).toEqual(wanted.sort());
  });

  test('all its state is in DATA_DIR, in one file', async () => {
    const before = readdirSync(join(folder, 'app'), { recursive: true }).sort();
    await post('/api/cards', { column: 'next', title: 'Sow broad beans' });
    expect(readdirSync(join(folder, 'app'), { recursive: true }).sort()).toEqual(before);
    expect(readdirSync(join(folder, 'data'))).toEqual(['board.json']);
  });

  test.each([
    ['a card without words', '/api/cards', { column: 'next', title: '  ' }, 422],
    ['a card for no column', '/api/cards', { column: 'later', title: 'Weed' }, 422],
    ['moving a card that is done', '/api/moves', { card: 'c7' }, 422],
    ['moving no card', '/api/moves', {}, 422],
    ['text that is not JSON', '/api/cards', 'beans', 400],
    ['a very long card', '/api/cards', { column: 'next', title: 'x'.repeat(20_000) }, 413],
    ['a request to nowhere', '/api/beans', {}, 404],
  ])('refuses %s and stays as it is', async (_what, path, body, status) => {
    const before = await getBoard();
    expect((await post(path, body)).status).toBe(status);
    expect(await getBoard()).toEqual(before);
  });

  test('a form of another site cannot change it', async () => {
    expect((await post('/reset', '{}', 'text/plain')).status).toBe(415);
  });

  test.each(['/server.mjs', '/../server.mjs', '/%2e%2e/server.mjs', '/..%2fserver.mjs', '/nothing.css'])(
    'serves nothing at %s',
    async path => {
      expect((await fetch(url + path)).status).toBe(404);
    },
  );
});

describe("the demo's specs", () => {
  test.each(demoFeatures())(
    '$id has one step for each step of the feature, word for word',
    ({ id, steps }) => {
      const file = DEMO_FEATURE_IDS.filter(known => known === id)
        .flatMap(known => demoFiles(known))
        .find(({ path }) => path === `e2e/${id}.spec.ts`);
      const named = [...(file?.text ?? '').matchAll(/test\.step\('([^']*)'/g)].map(([, text]) => text);
      expect(named).toEqual(steps);
      expect(file?.text.match(/^import .*/gm)).toEqual(["import { expect, test } from '@playwright/test';"]);
    },
  );

  test("no session but a feature's own writes its spec", () => {
    const written = SESSIONS.map(session => demoFiles(session).filter(({ path }) => path.startsWith('e2e/')));
    expect(written.map(files => files.map(({ path }) => path))).toEqual([
      [],
      ['e2e/F-001.spec.ts'],
      ['e2e/F-002.spec.ts'],
      ['e2e/F-003.spec.ts'],
    ]);
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
