// Where a Chromium may be, in the order in which it is looked for; harness/browser/find-browser.ts looks in the same.

/** Names of programs, best first: each is looked for in the folders of PATH, then in FOLDERS. */
export const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

export const FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin'];

export const MAC_PROGRAMS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

// After these comes Playwright's own: its Chromium, then its headless shell.
