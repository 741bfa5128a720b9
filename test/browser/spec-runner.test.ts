// The spec runner with Playwright's own runner, a real browser and a small app on loopback. A call takes seconds, so each
// is made once and looked at by several tests.

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { packageRoot } from '../../harness/base/package-root.js';
import { firstFailure } from '../../harness/browser/describe-failure.js';
import { failureKind } from '../../harness/browser/failure-kind.js';
import { browserOfSetUp, type FoundBrowser, findBrowser } from '../../harness/browser/find-browser.js';
import type { SpecLimits } from '../../harness/browser/runner-config.js';
import type { SpecRun } from '../../harness/browser/spec-run.js';
import { runSpecs } from '../../harness/browser/spec-runner.js';
import { type BlankApp, startBlankApp } from '../../harness/verify/blank-app.js';
import { openBareRoom } from '../../harness/workspace/bare-room.js';
import type { Room } from '../../harness/workspace/room.js';

const LIMITS: SpecLimits = {
  testMs: 20_000,
  expectMs: 10_000,
  actionMs: 10_000,
  navigationMs: 10_000,
  totalMs: 60_000,
};

/** For what is never there. */
const SHORT: SpecLimits = { ...LIMITS, expectMs: 1_000, actionMs: 1_000 };

const BOARD = `<!doctype html><title>Board</title><h1>Board</h1>
<form onsubmit="event.preventDefault(); list.append(Object.assign(document.createElement('li'), { textContent: title.value }))">
<label>Title <input id="title"></label><button>Add</button></form><ul id="list"></ul>`;

const TROUBLES = `<!doctype html><title>Troubles</title><h1>Troubles</h1>
<button onclick="alert('Hello')">Greet</button> <button disabled>Closed</button> <span data-testid="count">1</span>
<script>
  for (let i = 0; i < 60; i++) console.log('chatter ' + i);
  console.error('counting failed', { at: 7 });
  fetch('/missing');
  setTimeout(() => { throw new TypeError('the page broke') });
</script>`;

let folder: string;
let e2eFolder: string;
let app: Server;
let baseUrl: string;
let blank: BlankApp;
let room: Room;
let browser: FoundBrowser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'specs-'));
  e2eFolder = join(folder, 'app', 'e2e');
  cpSync(join(packageRoot, 'test/fixtures/specs/e2e'), e2eFolder, { recursive: true });
  app = createServer((request, response) => {
    const page = { '/': BOARD, '/troubles': TROUBLES }[request.url ?? ''];
    response.writeHead(page ? 200 : request.url === '/broken' ? 500 : 404, { 'content-type': 'text/html' });
    response.end(page ?? '<p>no such page</p>');
  });
  await new Promise<void>(resolve => app.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  blank = await startBlankApp();
  room = openBareRoom({
    folder: join(folder, 'room'),
    marker: `spec-test-${process.pid}.1`,
    clock: systemClock,
    host: process.env,
  });
  layTraps();
  const found = findBrowser({
    ...(process.env.LONGHAUL_BROWSER ? { wanted: process.env.LONGHAUL_BROWSER } : {}),
    ofSetUp: browserOfSetUp(),
    path: process.env.PATH ?? '',
    platform: process.platform,
  });
  if (!found) throw new Error('These tests need a browser.');
  browser = found;
});

afterAll(async () => {
  await room.close();
  await blank.close();
  app.closeAllConnections();
  app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What an app may hold to have its specs run by something else than ours. */
function layTraps(): void {
  const notOurs = 'throw new Error("not ours");';
  const fake = join(e2eFolder, 'node_modules', '@playwright', 'test');
  mkdirSync(fake, { recursive: true });
  writeFileSync(join(fake, 'index.js'), notOurs);
  const compilerOptions = { baseUrl: '.', paths: { '@playwright/test': ['./fake.ts'] } };
  for (const place of [e2eFolder, room.scratch]) {
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    writeFileSync(join(place, 'fake.ts'), notOurs);
  }
  writeFileSync(join(e2eFolder, 'playwright.config.ts'), notOurs);
  writeFileSync(join(folder, 'secret.ts'), 'export const secret = 1;');
  symlinkSync(join(folder, 'secret.ts'), join(e2eFolder, 'linked.spec.ts'));
}

let runs = 0;

function run(files: string[], changes: Partial<Parameters<typeof runSpecs>[0]> = {}): Promise<SpecRun> {
  const workFolder = join(room.scratch, `spec-${++runs}`);
  const signal = new AbortController().signal;
  return runSpecs({
    room,
    workFolder,
    specs: { e2eFolder, files },
    baseUrl,
    browser,
    limits: LIMITS,
    signal,
    ...changes,
  });
}

/** The part of a run that one file has in it. */
function only(all: SpecRun, file: string): SpecRun {
  return { ...all, tests: all.tests.filter(test => test.file === `e2e/${file}`) };
}

describe('a spec that passes', () => {
  let green: SpecRun;
  beforeAll(async () => {
    green = await run(['green.spec.ts']);
  });

  it('is green, by our Playwright and not by what the app put in its place', () => {
    expect(green.problems).toEqual([]);
    expect(green).toMatchObject({ verdict: 'green', fault: null });
    expect(firstFailure(green)).toBe('');
  });

  it('tells its steps in order', () => {
    expect(green.tests).toHaveLength(1);
    expect(green.tests[0]).toMatchObject({
      title: 'adds a card',
      file: 'e2e/green.spec.ts',
      line: 4,
      status: 'passed',
    });
    expect(green.tests[0]?.steps.map(({ title, status }) => [title, status])).toEqual([
      ['Open the start page', 'passed'],
      ['Type a title and press Add', 'passed'],
      ['The card is on the board', 'passed'],
    ]);
  });

  it('leaves a trace, a screenshot and the page as text', () => {
    expect(existsSync(green.artifacts.tracePath ?? '')).toBe(true);
    expect(existsSync(green.artifacts.screenshotPath ?? '')).toBe(true);
    expect(green.tests[0]?.page).toMatchObject({
      navigated: true,
      failed: null,
      pageErrors: [],
      failedRequests: [],
    });
    expect(green.tests[0]?.page.text).toContain('- listitem: Buy milk');
  });
});

describe('specs that fail', () => {
  let red: SpecRun;
  beforeAll(async () => {
    const names = ['assert', 'click', 'early', 'value', 'refused', 'server-error', 'throw'];
    red = await run(
      names.map(name => `red-${name}.spec.ts`),
      { limits: SHORT },
    );
  }, 60_000);

  it('are red', () => {
    expect(red).toMatchObject({ verdict: 'red', fault: null, problems: [] });
    expect(red.tests).toHaveLength(7);
  });

  it('tell the failing step, what was expected and received, and where', () => {
    const [test] = only(red, 'red-assert.spec.ts').tests;
    expect(test?.steps.map(({ status }) => status)).toEqual(['passed', 'passed', 'failed']);
    expect(test?.error).toMatchObject({
      step: 'The counter says 2',
      location: 'e2e/red-assert.spec.ts:11',
      locator: "getByTestId('count')",
      expected: '"2"',
      received: '"1"',
    });
    expect(test?.error?.snippet).toContain(
      "> 11 |     await expect(page.getByTestId('count')).toHaveText('2');",
    );
  });

  it('tell what the page did: console, exceptions, requests, dialogs', () => {
    const [test] = only(red, 'red-assert.spec.ts').tests;
    expect(test?.page.console).toEqual(['error: counting failed {at: 7}', '… and 60 more']);
    expect(test?.page.pageErrors).toEqual([expect.stringMatching(/^TypeError: the page broke at http/)]);
    expect(test?.page.failedRequests).toEqual(['GET /missing: 404 Not Found']);
    // A dialog that no listener answers is dismissed, and the click that opened it goes on.
    expect(test?.page.dialogs).toEqual(['alert "Hello"']);
    expect(red.artifacts.consoleText.split('\n')).toContain('request: GET /missing: 404 Not Found');
  });

  it('are described to a model in one text without colours and paths of ours', () => {
    const text = firstFailure(red);
    expect(text).toMatch(
      /^e2e\/red-assert\.spec\.ts, test "counts the cards", step 3 "The counter says 2" failed:\n/,
    );
    for (const part of [
      'Expected: "2"',
      'Received: "1"',
      'At e2e/red-assert.spec.ts:11:',
      'TypeError: the page broke',
      'GET /missing: 404 Not Found',
      'error: counting failed {at: 7}',
      'alert "Hello"',
      '- heading "Troubles" [level=1]',
      '- button "Closed" [disabled]',
      'e2e/red-click.spec.ts: presses what is not there',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('\x1b');
    expect(text).not.toContain(folder);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(6 * 1024);
  });

  it('have only those attachments that the runner made', () => {
    const [test] = only(red, 'red-throw.spec.ts').tests;
    expect(test?.attachments.map(({ name }) => name).sort()).toEqual([
      'error-context',
      'screenshot',
      'trace',
    ]);
    for (const { path } of test?.attachments ?? []) expect(path.startsWith(room.scratch)).toBe(true);
  });

  it.each([
    ['red-assert', 'expect', 'assertion'],
    ['red-click', 'locator', 'assertion'],
    ['red-value', 'expect', 'assertion'],
    ['red-early', 'expect', 'navigation'],
    ['red-refused', 'navigation', 'navigation'],
    ['red-server-error', 'expect', 'navigation'],
    ['red-throw', 'other', 'other'],
  ])('%s failed by: %s, which counts as: %s', (name, failed, kind) => {
    const part = only(red, `${name}.spec.ts`);
    expect(part.tests[0]?.page.failed).toBe(failed);
    expect(failureKind(part)).toBe(kind);
  });
});

describe('the blank app', () => {
  it('is red by an assertion for a spec that looks at the page, green for one that only goes there', async () => {
    const all = await run(['green.spec.ts', 'only-navigates.spec.ts'], { baseUrl: blank.url, limits: SHORT });
    expect(all.verdict).toBe('red');
    expect(failureKind(only(all, 'green.spec.ts'))).toBe('assertion');
    expect(firstFailure(all)).toContain('The page had no content when the test failed.');
    expect(only(all, 'only-navigates.spec.ts').tests[0]?.status).toBe('passed');
  });
});

describe('specs that prove nothing', () => {
  it('are broken when a test is skipped, meant to fail or tried again', async () => {
    const all = await run(['not-all-run.spec.ts']);
    expect(all).toMatchObject({ verdict: 'broken', fault: 'spec' });
    expect(all.problems).toEqual([
      expect.stringMatching(
        /^e2e\/not-all-run\.spec\.ts:7: the test "is skipped" is skipped\. .*remove test\.skip/,
      ),
      expect.stringMatching(/^e2e\/not-all-run\.spec\.ts:9: the test "is left for later" is skipped\./),
      expect.stringMatching(
        /^e2e\/not-all-run\.spec\.ts:11: the test "should fail" is marked .*Remove test\.fail/,
      ),
      expect.stringMatching(
        /^e2e\/not-all-run\.spec\.ts:18: the test "passes the second time" was run 2 times/,
      ),
    ]);
  });

  it('are broken when a test is marked as the only one', async () => {
    const all = await run(['only.spec.ts', 'only-navigates.spec.ts']);
    expect(all).toMatchObject({ verdict: 'broken', fault: 'spec', tests: [] });
    expect(firstFailure(all)).toMatch(/^e2e\/only\.spec\.ts:3: .*\nRemove \.only/);
  });

  it('are broken when there is no test', async () => {
    const all = await run(['no-test.spec.ts']);
    expect(all).toMatchObject({ verdict: 'broken', fault: 'spec', tests: [] });
    expect(firstFailure(all)).toMatch(/^No test was found\. Write at least one/);
  });
});

describe('specs that cannot run', () => {
  it('are told with file and line when they cannot be loaded', async () => {
    const all = await run(['syntax-error.spec.ts', 'missing-import.spec.ts', 'green.spec.ts']);
    expect(all).toMatchObject({ verdict: 'broken', fault: 'spec', tests: [] });
    const text = firstFailure(all);
    expect(text).toMatch(/^e2e\/syntax-error\.spec\.ts:4: SyntaxError: .*\n>? *\d \|/m);
    expect(text).toMatch(
      /e2e\/missing-import\.spec\.ts:2: Error: Cannot find module '\.\/helpers\/nothing\.js'/,
    );
    expect(text).toContain('files under e2e/ by a relative path');
    expect(text).not.toContain(folder);
  });

  it('are refused before the runner starts when the file is not there or a link', async () => {
    const missing = await run(['F-999.spec.ts']);
    expect(missing).toMatchObject({ verdict: 'broken', fault: 'spec', ms: 0 });
    expect(missing.problems).toEqual(['e2e/F-999.spec.ts does not exist. Write it first.']);
    const linked = await run(['linked.spec.ts']);
    expect(linked.problems).toEqual(['e2e/linked.spec.ts is a link. Make it a regular file.']);
  });

  it('are ended with all of their processes when the time is over', async () => {
    const all = await run(['endless.spec.ts'], { limits: { ...LIMITS, totalMs: 5_000 } });
    expect(all).toMatchObject({ verdict: 'broken', fault: 'time' });
    expect(all.problems[0]).toContain('was not over after 5 s');
    expect(await leftOver()).toEqual([]);
  });

  it('are ended when the signal comes', async () => {
    const controller = new AbortController();
    const running = run(['endless.spec.ts'], { signal: controller.signal });
    await until(() => room.processes().length > 2);
    controller.abort();
    expect(await running).toMatchObject({ verdict: 'broken', fault: 'interrupted' });
    expect(await leftOver()).toEqual([]);
  });

  it('are the fault of nobody but us when the browser does not start', async () => {
    const all = await run(['green.spec.ts'], { browser: { kind: 'wanted', executablePath: '/bin/false' } });
    expect(all).toMatchObject({ verdict: 'broken', fault: 'runner' });
    expect(all.problems[0]).toMatch(/^The browser did not start: /);
  });

  it('are broken when they end their own process', async () => {
    const all = await run(['ends-process.spec.ts']);
    expect(all.verdict).toBe('broken');
    expect(firstFailure(all)).toContain('A spec must not end its process.');
  });
});

/** The browser ends by itself once nobody holds its pipe. */
async function leftOver(): Promise<number[]> {
  await until(() => room.processes().length === 0);
  return room.processes();
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 100 && !holds(); i++) await systemClock.sleep(50);
}
