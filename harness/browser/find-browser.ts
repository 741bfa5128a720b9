// Which Chromium to use: the one asked for, else the one that set-up saw start, else the first one found.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { isProgram } from '../base/on-path.js';
import { packageRoot } from '../base/package-root.js';

export interface FoundBrowser {
  executablePath: string;
  kind: 'wanted' | 'set-up' | 'chromium-headless-shell' | 'chromium' | 'chrome' | 'playwright';
}

export interface BrowserSearch {
  /** Path that a person asked for. When it is no program, nothing else is taken in its place. */
  wanted?: string;
  /** What `browserOfSetUp` told. Passed over when it is gone. */
  ofSetUp?: string;
  /** $PATH. */
  path: string;
  platform: NodeJS.Platform;
  /** Tells whether a path is a program; the default asks the disk. */
  exists?: (path: string) => boolean;
}

type Place = [kind: FoundBrowser['kind'], name: string];

/**
 * Names of programs, best first: each is looked for in the folders of PATH, then in FOLDERS. The headless shell starts
 * fastest and brings least. scripts/setup/browser-places.mjs looks for the same in the same order.
 */
export const NAMES: readonly Place[] = [
  ['chromium-headless-shell', 'chromium-headless-shell'],
  ['chromium', 'chromium'],
  ['chromium', 'chromium-browser'],
  ['chrome', 'google-chrome'],
  ['chrome', 'google-chrome-stable'],
];

export const FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin'];

export const MAC_PROGRAMS: readonly Place[] = [
  ['chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  ['chromium', '/Applications/Chromium.app/Contents/MacOS/Chromium'],
];

export function findBrowser(search: BrowserSearch): FoundBrowser | null {
  const exists = search.exists ?? isProgram;
  const first = (places: Iterable<Place>) => {
    for (const [kind, executablePath] of places) if (exists(executablePath)) return { executablePath, kind };
    return null;
  };
  if (search.wanted) return first([['wanted', search.wanted]]);
  const ofSetUp: Place[] = search.ofSetUp ? [['set-up', search.ofSetUp]] : [];
  // Playwright's own come last, also because asking for them loads Playwright.
  return first([...ofSetUp, ...installedPlaces(search)]) ?? first(playwrightPlaces());
}

/** The browser that set-up started once as a test in this checkout; undefined where Longhaul was installed as a package. */
export function browserOfSetUp(root: string = packageRoot): string | undefined {
  try {
    const stamp: unknown = JSON.parse(
      readFileSync(join(root, 'node_modules', '.longhaul-browser.json'), 'utf8'),
    );
    return stamp !== null && typeof stamp === 'object' && 'path' in stamp && typeof stamp.path === 'string'
      ? stamp.path
      : undefined;
  } catch {
    return undefined; // Set-up has not run here.
  }
}

function installedPlaces({ path, platform }: BrowserSearch): Place[] {
  const folders = [...path.split(delimiter).filter(folder => folder !== ''), ...FOLDERS];
  const named = NAMES.flatMap(([kind, name]) => folders.map((folder): Place => [kind, join(folder, name)]));
  return platform === 'darwin' ? [...named, ...MAC_PROGRAMS] : named;
}

/** Playwright tells the path of its Chromium only; the headless shell of the same number lies beside it. */
function playwrightPlaces(): Place[] {
  const chromium = playwrightChromium();
  if (chromium === null) return [];
  const [, store, number] = /^(.*)[/\\]chromium-(\d+)[/\\]/.exec(chromium) ?? [];
  const shell = store === undefined ? '' : join(store, `chromium_headless_shell-${number}`);
  const inShell = existsSync(shell) ? readdirSync(shell, { recursive: true, encoding: 'utf8' }) : [];
  const programs = inShell.filter(name => /(^|[/\\])(chrome-headless-shell|headless_shell)$/.test(name));
  return [chromium, ...programs.map(name => join(shell, name))].map(path => ['playwright', path]);
}

function playwrightChromium(): string | null {
  try {
    const { chromium } = createRequire(import.meta.url)('playwright') as typeof import('playwright');
    return chromium.executablePath() || null;
  } catch {
    return null; // Playwright has no build for this system.
  }
}
