// What a person types to get a browser, in a checkout and where Longhaul is installed as a package alike.

import { playwrightPackage } from './playwright-package.js';

/** One sentence. Playwright's version is named: another one would bring a browser that ours does not look for. */
export function howToGetBrowser(): string {
  const download = `npx playwright@${playwrightPackage().version} install --with-deps chromium`;
  return `Install one (Debian: apt-get install chromium; Ubuntu: ${download}; macOS: Google Chrome, or the same without --with-deps), or set LONGHAUL_BROWSER to the path of a Chromium.`;
}
