// The browser tool on a real browser, with a server on loopback for the pages of test/fixtures/pages.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../harness/base/clock.js';
import { newId } from '../../harness/base/ids.js';
import { packageRoot } from '../../harness/base/package-root.js';
import { type AgentBrowser, openAgentBrowser } from '../../harness/browser/agent-browser.js';
import type { BrowserLimits } from '../../harness/browser/agent-browser-action.js';
import { browserOfSetUp, type FoundBrowser, findBrowser } from '../../harness/browser/find-browser.js';
import { browserTool } from '../../harness/tools/browser.js';
import type { Tool, ToolResult } from '../../harness/tools/tool.js';
import { openBareRoom } from '../../harness/workspace/bare-room.js';
import type { Room } from '../../harness/workspace/room.js';

const PAGES = join(packageRoot, 'test/fixtures/pages');

export interface BrowserRig {
  room: Room;
  browser: AgentBrowser;
  tool: Tool;
  /** The app's folder. */
  app: string;
  baseUrl: string;
  call(input: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>;
  /** The text of a call that must work. */
  ok(input: Record<string, unknown>): Promise<string>;
  /** The text of a call that must fail. */
  bad(input: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export async function openRig(
  options: { limits?: Partial<BrowserLimits>; browser?: FoundBrowser } = {},
): Promise<BrowserRig> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-agent-browser-')));
  const app = join(folder, 'app');
  mkdirSync(app);
  const server = createServer(servePage).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const room = openBareRoom({
    folder: join(folder, 'room'),
    marker: `test${newId()}.1.1`,
    clock: systemClock,
    host: {},
  });
  const browser = openAgentBrowser({
    room,
    browser: options.browser ?? testBrowser(),
    clock: systemClock,
    limits: options.limits ?? {},
  });
  const tool = browserTool({ browser, appRoot: app, baseUrl, description: 'A browser.' });
  const call: BrowserRig['call'] = (input, signal = new AbortController().signal) => tool.run(input, signal);
  const text = async (input: Record<string, unknown>, isError: boolean) => {
    const result = await call(input);
    if ((result.isError ?? false) !== isError) throw new Error(`unexpected: ${result.text}`);
    return result.text;
  };
  return {
    room,
    browser,
    tool,
    app,
    baseUrl,
    call,
    ok: input => text(input, false),
    bad: input => text(input, true),
    async close() {
      await browser.close();
      await room.close();
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function testBrowser(): FoundBrowser {
  const found = findBrowser({
    ...(process.env.LONGHAUL_BROWSER ? { wanted: process.env.LONGHAUL_BROWSER } : {}),
    ofSetUp: browserOfSetUp(),
    path: process.env.PATH ?? '',
    platform: process.platform,
  });
  if (!found) throw new Error('These tests need a browser.');
  return found;
}

/** The reference of the first line of a result that has these words. */
export function refOf(text: string, words: string): string {
  const line = text.split('\n').find(each => each.includes(words) && each.includes('[ref='));
  const ref = /\[ref=(\w+)\]/.exec(line ?? '')?.[1];
  if (!ref) throw new Error(`no ref for ${words} in:\n${text}`);
  return ref;
}

const servePage: RequestListener = (request, response) => {
  const path = (request.url ?? '/').replace(/[?#].*/, '');
  if (path === '/never') return;
  if (path === '/data') return void setTimeout(() => response.end('the data'), 300);
  if (path === '/report.csv') {
    response.writeHead(200, { 'content-disposition': 'attachment; filename="the report.csv"' });
    return void response.end('a,b\n1,2\n');
  }
  const file = join(PAGES, path === '/' ? 'home.html' : path);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  if (!existsSync(file)) response.writeHead(404);
  response.end(existsSync(file) ? readFileSync(file) : '<p>no such page</p>');
};
