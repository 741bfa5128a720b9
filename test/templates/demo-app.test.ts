import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DEMO_FEATURE_IDS,
  type DemoSession,
  demoFeatures,
  demoFiles,
  demoPatch,
} from '../../harness/standin/demo/content.js';
import { MENDED, writeDemoApp } from '../support/demo-app.js';

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
    mkdirSync(join(folder, 'app'));
    writeDemoApp(join(folder, 'app'), last);
    await start();
  });
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
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

describe.each(['initializer', 'F-010'] as const)('the app after %s', last => {
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

  test('every file that the page names is served', async () => {
    const page = await (await fetch(url)).text();
    const names = [...page.matchAll(/(?:src|href)="(\/[^"#]+)/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) expect((await fetch(url + name)).status, name).toBe(200);
  });
});

describe('the finished board', () => {
  runStage('F-010');
  beforeEach(() => post('/reset', {}));

  test('keeps added and moved cards when it is killed and started again', async () => {
    await post('/api/cards', { column: 'next', title: '  Sow broad beans ' });
    await post('/api/moves', { card: 'c1' });
    await post('/api/deletions', { card: 'c3' });
    await post('/api/days', { card: 'c2', day: '2030-05-09' });
    await stop();
    await start();
    const board = await getBoard();
    expect(titles(board, 'next')).toEqual(['Order seed potatoes', 'Sow broad beans']);
    expect(board.columns[0]?.cards[0]).toMatchObject({ id: 'c2', day: '2030-05-09' });
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
    ['deleting no card', '/api/deletions', {}, 422],
    ['a day that is none', '/api/days', { card: 'c1', day: 'soon' }, 422],
    ['text that is not JSON', '/api/cards', 'beans', 400],
    ['a very long card', '/api/cards', { column: 'next', title: 'x'.repeat(20_000) }, 413],
    ['a request to nowhere', '/api/beans', {}, 404],
    ['a request that only looks like a change', '/constructor', {}, 404],
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
  const app = mkdtempSync(join(tmpdir(), 'demo-specs-'));
  beforeAll(() => writeDemoApp(app));
  afterAll(() => rmSync(app, { recursive: true, force: true }));

  test.each(demoFeatures())(
    '$id has one step for each step of the feature, word for word',
    ({ id, steps }) => {
      const text = readFileSync(join(app, 'e2e', `${id}.spec.ts`), 'utf8');
      expect([...text.matchAll(/test\.step\('([^']*)'/g)].map(([, title]) => title)).toEqual(steps);
      expect(text.match(/^import .*/gm)).toEqual(["import { expect, test } from '@playwright/test';"]);
    },
  );

  test("no session but a feature's own writes its spec, and it is written whole", () => {
    for (const id of DEMO_FEATURE_IDS) {
      const specs = demoFiles(id).filter(({ path }) => path.startsWith('e2e/'));
      expect(specs.map(({ path }) => path)).toEqual([`e2e/${id}.spec.ts`]);
      expect(demoPatch(id, 'change')).not.toContain('e2e/');
    }
  });

  test.each(MENDED)('%s is mended in few lines', id => {
    expect(demoPatch(id, 'mend').split('\n').length).toBeLessThan(30);
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
