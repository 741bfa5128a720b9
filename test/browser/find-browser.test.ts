// Which browser is taken when several are there.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';
import { type BrowserSearch, findBrowser } from '../../harness/browser/find-browser.js';
import { launchFlags } from '../../harness/browser/launch-flags.js';

const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

function find(there: string[], changes: Partial<BrowserSearch> = {}) {
  return findBrowser({
    path: '/opt/bin:',
    platform: 'linux',
    exists: path => there.includes(path),
    ...changes,
  });
}

describe('the browser', () => {
  it('that a person asked for is taken, and nothing else when it is not there', () => {
    const there = ['/usr/bin/chromium', '/my/chrome'];
    expect(find(there, { wanted: '/my/chrome', ofSetUp: '/usr/bin/chromium' })).toEqual({
      executablePath: '/my/chrome',
      kind: 'wanted',
    });
    expect(find(there, { wanted: '/my/other' })).toBeNull();
  });

  it('that set-up saw start comes before those that are only there', () => {
    const there = ['/usr/bin/chromium-headless-shell', '/opt/tried'];
    expect(find(there, { ofSetUp: '/opt/tried' })).toMatchObject({
      executablePath: '/opt/tried',
      kind: 'set-up',
    });
    expect(find(there, { ofSetUp: '/opt/gone' })?.kind).toBe('chromium-headless-shell');
  });

  it('is the headless shell rather than Chromium rather than Chrome, wherever they lie', () => {
    const there = ['/opt/bin/google-chrome', '/usr/bin/google-chrome-stable', '/snap/bin/chromium-browser'];
    expect(find(there)).toEqual({ executablePath: '/snap/bin/chromium-browser', kind: 'chromium' });
    expect(find([...there, '/usr/local/bin/chromium'])?.executablePath).toBe('/usr/local/bin/chromium');
    expect(find([...there, '/usr/bin/chromium-headless-shell'])?.kind).toBe('chromium-headless-shell');
    expect(find(there.slice(0, 2))).toEqual({ executablePath: '/opt/bin/google-chrome', kind: 'chrome' });
  });

  it('is an application on macOS only', () => {
    expect(find([MAC_CHROME])).toBeNull();
    expect(find([MAC_CHROME], { platform: 'darwin' })).toEqual({
      executablePath: MAC_CHROME,
      kind: 'chrome',
    });
  });

  it("is Playwright's own when there is no other", () => {
    const { chromium } = createRequire(import.meta.url)('playwright') as typeof import('playwright');
    const own = chromium.executablePath();
    expect(find([own])).toEqual({ executablePath: own, kind: 'playwright' });
    expect(find([own, '/usr/bin/chromium'])?.kind).toBe('chromium');
  });

  it('that is a folder or no program is passed over', () => {
    const search = { path: '', platform: 'linux' } as const;
    expect(findBrowser({ ...search, wanted: '/usr/bin' })).toBeNull();
    expect(findBrowser({ ...search, wanted: join(packageRoot, 'package.json') })).toBeNull();
    expect(findBrowser({ ...search, wanted: process.execPath })?.kind).toBe('wanted');
  });

  it('gets --no-sandbox as root only', () => {
    expect(launchFlags({ root: true })).toContain('--no-sandbox');
    expect(launchFlags({ root: false })).not.toContain('--no-sandbox');
    expect(launchFlags({ root: false })).toContain('--disable-quic');
  });
});
