// Where our own Playwright lies: its runner and what specs import come from here, never from the app.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface PlaywrightPackage {
  folder: string;
  version: string;
  cli: string;
  /** What `@playwright/test` of a spec is. */
  test: string;
}

export function playwrightPackage(): PlaywrightPackage {
  const folder = dirname(createRequire(import.meta.url).resolve('playwright/package.json'));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { folder, version, cli: join(folder, 'cli.js'), test: join(folder, 'test.js') };
}
