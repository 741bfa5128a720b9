// Where our own Playwright lies: its runner and what specs import come from here, never from the app.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface PlaywrightPackage {
  folder: string;
  cli: string;
  /** What `@playwright/test` of a spec is. */
  test: string;
}

export function playwrightPackage(): PlaywrightPackage {
  const folder = dirname(createRequire(import.meta.url).resolve('playwright/package.json'));
  return { folder, cli: join(folder, 'cli.js'), test: join(folder, 'test.js') };
}
