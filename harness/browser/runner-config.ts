// The runner's configuration. It is the harness's alone: an app cannot change limits, retries or the reporter.

import { join } from 'node:path';
import { isRoot, launchFlags } from './launch-flags.js';

/** All in ms. */
export interface SpecLimits {
  /** One test with its hooks. A spec can raise it for itself, but not above `totalMs`. */
  testMs: number;
  /** One `expect` that waits. */
  expectMs: number;
  /** One click, fill and so on. */
  actionMs: number;
  /** One navigation until its load event. */
  navigationMs: number;
  /** The whole call: the runner is killed then. */
  totalMs: number;
}

export interface RunnerConfig {
  /** Absolute, links resolved. */
  workFolder: string;
  /** Relative to e2e/. */
  files: readonly string[];
  baseUrl: string;
  executablePath: string;
  limits: SpecLimits;
}

export const REPORT_FILE = 'report.json';
export const OUTPUT_FOLDER = 'results';

/** The text of playwright.config.mjs. */
export function runnerConfigText({
  workFolder,
  files,
  baseUrl,
  executablePath,
  limits,
}: RunnerConfig): string {
  const config = {
    testDir: 'e2e',
    // A spec's own name is no pattern: what a character means in one is not what it means in a file.
    testMatch: files.map(file => `^${escapeForRegExp(join(workFolder, 'e2e', file))}$`),
    outputDir: OUTPUT_FOLDER,
    workers: 1,
    fullyParallel: false,
    retries: 0,
    forbidOnly: true,
    timeout: limits.testMs,
    expect: { timeout: limits.expectMs },
    reporter: [['json', { outputFile: REPORT_FILE }]],
    use: {
      baseURL: baseUrl,
      headless: true,
      launchOptions: { executablePath, args: launchFlags({ root: isRoot() }) },
      viewport: { width: 1280, height: 720 },
      locale: 'en-US',
      timezoneId: 'UTC',
      actionTimeout: limits.actionMs,
      navigationTimeout: limits.navigationMs,
      // The outline of the page after each call costs about 15 ms a call, and as much is saved by leaving out the film.
      trace: { mode: 'on', screenshots: false, snapshots: { dom: true, aria: true } },
      screenshot: 'on',
      video: 'off',
    },
  };
  return [
    `const config = ${JSON.stringify(config, null, 2)};`,
    'config.testMatch = config.testMatch.map(pattern => new RegExp(pattern));',
    'export default config;\n',
  ].join('\n');
}

function escapeForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
