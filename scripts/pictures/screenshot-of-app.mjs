// The start page of an app that the demo built, brought up by its own init.sh, as a person would see it.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright';
import { browserOfSetUp, findBrowser } from '../../dist/browser/find-browser.js';
import { isRoot, launchFlags } from '../../dist/browser/launch-flags.js';

const SIZE = { width: 1280, height: 720 };
const START_MS = 30_000;

/** Resolves to the bytes of a PNG. */
export async function screenshotOfApp(folder) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const data = mkdtempSync(join(tmpdir(), 'longhaul-pictures-data-'));
  const env = { ...process.env, PORT: String(port), BASE_URL: url, DATA_DIR: data };
  // A process group of its own, so that the app is ended with all that it started.
  const app = spawn('./init.sh', {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise(resolve => app.once('exit', resolve));
  try {
    await answered(url);
    return await takePicture(url);
  } finally {
    if (app.exitCode === null && app.signalCode === null) process.kill(-app.pid, 'SIGTERM');
    await ended;
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function takePicture(url) {
  const found = findBrowser({
    ...(process.env.LONGHAUL_BROWSER ? { wanted: process.env.LONGHAUL_BROWSER } : {}),
    ofSetUp: browserOfSetUp(),
    path: process.env.PATH ?? '',
    platform: process.platform,
  });
  if (found === null) throw new Error('no browser was found');
  const args = launchFlags({ root: isRoot() });
  const browser = await chromium.launch({ executablePath: found.executablePath, args });
  try {
    const page = await browser.newPage({ viewport: SIZE, deviceScaleFactor: 1, reducedMotion: 'reduce' });
    await page.goto(url, { waitUntil: 'networkidle' });
    return await page.screenshot({ type: 'png' });
  } finally {
    await browser.close();
  }
}

async function answered(url) {
  const until = performance.now() + START_MS;
  for (;;) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    if (performance.now() > until) throw new Error(`the app did not answer at ${url}`);
    await sleep(100);
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
