// Starts a Chromium in a room, driven by a small Playwright server beside it, and connects to it from here.
//
// The browser could be driven over its own debugging port as well. The server is what Playwright supports in full, it
// needs one secret address instead of an open port, and its standard input ties the browser to this process: when that
// closes, also by a kill -9, the server ends and takes the browser with it.

import type { Browser } from 'playwright';
import { BoundedOutput } from '../base/bounded-output.js';
import type { Clock } from '../base/clock.js';
import { oneLine } from '../base/cut-text.js';
import { firstOf } from '../base/deadline.js';
import { messageOf } from '../base/errors.js';
import { familyOf, killAll } from '../workspace/processes.js';
import type { Room, RoomProcess } from '../workspace/room.js';
import type { FoundBrowser } from './find-browser.js';
import { isRoot, launchFlags } from './launch-flags.js';
import { playwrightPackage } from './playwright-package.js';

export interface BrowserServerOptions {
  room: Room;
  browser: FoundBrowser;
  clock: Clock;
  /** For the start of the server, and again for the connection. */
  startMs: number;
  signal: AbortSignal;
}

export interface BrowserServer {
  readonly browser: Browser;
  /** False once the browser, its server or the connection has ended. */
  readonly isUp: boolean;
  /** Resolves when one of them has. */
  readonly ended: Promise<void>;
  /** Ends the browser and its server. Never rejects. */
  close(): Promise<void>;
}

export type StartedBrowser = { ok: true; server: BrowserServer } | { ok: false; problem: string };

/** Handed to Node as text, so that it is the same in the checkout and in the built package. */
const SERVER_SCRIPT = `
const [playwright, options] = process.argv.slice(1);
process.stdin.resume().on('end', () => process.exit(0)).on('error', () => process.exit(0));
require(playwright).chromium.launchServer(JSON.parse(options)).then(
  server => {
    server.on('close', () => process.exit(0));
    process.stdout.write(server.wsEndpoint() + '\\n');
  },
  error => {
    process.stderr.write(String(error.message));
    process.exit(1);
  },
);
`;

const STDERR_BYTES = 16 * 1024;
const PROBLEM_BYTES = 600;
const CLOSE_MS = 2_000;

export async function startBrowserServer(options: BrowserServerOptions): Promise<StartedBrowser> {
  const { room, browser, clock, startMs, signal } = options;
  const launch = {
    executablePath: browser.executablePath,
    args: launchFlags({ root: isRoot() }),
    host: '127.0.0.1',
    timeout: startMs,
  };
  // Its profile is made new below the room's TMPDIR: nothing of an earlier browser can lock it.
  const server = room.start(
    {
      argv: [process.execPath, '-e', SERVER_SCRIPT, playwrightPackage().folder, JSON.stringify(launch)],
      cwd: room.folder,
    },
    ['pipe', 'pipe', 'pipe'],
  );
  const family = familyOf(server.pid);
  const fail = async (problem: string): Promise<StartedBrowser> => {
    await end(server, family, clock);
    return { ok: false, problem };
  };
  const stderr = new BoundedOutput({ limit: { bytes: STDERR_BYTES } });
  server.child.stderr?.on('data', (chunk: Buffer) => stderr.write(chunk));
  // Writing to a process that has just ended is no fault.
  server.child.stdin?.on('error', () => {});

  const endpoint = firstLine(server);
  const first = await firstOf(endpoint, { ms: startMs, clock, signal });
  const address = first === 'ended' ? await endpoint : null;
  if (address === null) {
    const why = oneLine(stderr.finish().text, PROBLEM_BYTES);
    if (first === 'signal') return fail('The session is being stopped.');
    if (first === 'timeout') return fail(`It was not up after ${startMs / 1000} s. ${why}`.trim());
    return fail(why || 'It ended at once and said nothing.');
  }
  family();
  try {
    // Loaded only here: most of what a run does needs no browser.
    const { chromium } = await import('playwright');
    const connected = await chromium.connect(address, { timeout: startMs });
    return { ok: true, server: link(connected, server, () => close(connected, server, family, clock)) };
  } catch (error) {
    return fail(oneLine(messageOf(error), PROBLEM_BYTES));
  }
}

function link(browser: Browser, { exited }: RoomProcess, close: () => Promise<void>): BrowserServer {
  let up = true;
  const disconnected = new Promise<void>(resolve => browser.once('disconnected', () => resolve()));
  const ended = Promise.race([disconnected, exited.then(() => {})]).then(() => {
    up = false;
  });
  return {
    browser,
    get isUp() {
      return up;
    },
    ended,
    close,
  };
}

/** Null when the server ended without one. */
function firstLine({ child, exited }: RoomProcess): Promise<string | null> {
  const line = new Promise<string>(resolve => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      const [first, ...rest] = text.split('\n');
      if (rest.length > 0 && first) resolve(first);
    });
  });
  return Promise.race([line, exited.then(() => null)]);
}

async function close(
  browser: Browser,
  server: RoomProcess,
  family: ReturnType<typeof familyOf>,
  clock: Clock,
): Promise<void> {
  // The server that it talks to goes away in any case.
  const disconnected = browser.close().catch(() => {});
  await firstOf(disconnected, { ms: CLOSE_MS, clock });
  await end(server, family, clock);
}

/** The browser leads a group of its own, which `server.kill()` alone would leave alive. */
async function end(server: RoomProcess, family: ReturnType<typeof familyOf>, clock: Clock): Promise<void> {
  family();
  server.child.stdin?.destroy();
  await firstOf(server.exited, { ms: CLOSE_MS, clock });
  await killAll(family, { clock });
}
