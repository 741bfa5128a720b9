// A place for one run of the built command: app, home, state; no variable of the person who runs the tests but PATH.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface RunFolder {
  root: string;
  /** The app's folder; not made yet. */
  app: string;
  home: string;
  stateHome: string;
  journal: string;
  /** Environment of a run against a stand-in. */
  env(url: string): Record<string, string>;
  /** git in the app, as a person; trimmed. */
  git(...args: string[]): string;
}

/** Made for the test that is running and removed after it, or after whatever else is named (`afterAll`). */
export function runFolder(after: (remove: () => void) => void = onTestFinished): RunFolder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'run-')));
  after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const [app, home, stateHome] = ['app', 'home', 'state'].map(name => join(root, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(home);
  const base = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_STATE_HOME: stateHome,
    XDG_CONFIG_HOME: join(home, 'config'),
  };
  return {
    root,
    app,
    home,
    stateHome,
    journal: join(app, '.git', 'longhaul', 'journal.jsonl'),
    env: url => ({ ...base, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-test-canary' }),
    git: (...args) =>
      execFileSync('git', args, {
        cwd: app,
        encoding: 'utf8',
        env: base,
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim(),
  };
}
