// A real app on disk with a real repository and a journal, for tests of what touches them.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '../../harness/base/clock.js';
import { type Feature, formatFeatureList } from '../../harness/features/feature-list.js';
import { openJournal } from '../../harness/journal/journal.js';
import { LiveJournal } from '../../harness/journal/live-journal.js';
import { type App, prepareApp } from '../../harness/workspace/app.js';

export interface TempApp {
  app: App;
  journal: LiveJournal;
  /** Runs git in the app as a person would and returns what it prints, trimmed. */
  git(...args: string[]): string;
  write(path: string, content: string): void;
  dispose(): void;
}

export const THREE_FEATURES: Feature[] = ['F-001', 'F-002', 'F-003'].map(id => ({
  id,
  category: 'functional',
  description: `What ${id} does`,
  steps: ['Open the start page', `See ${id}`],
  passes: false,
}));

/** PATH and a HOME without any git configuration. */
export function gitHost(home: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: home };
}

export async function makeTempApp(): Promise<TempApp> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'app-')));
  const home = join(folder, 'home');
  mkdirSync(home);
  const app = await prepareApp(join(folder, 'app'), gitHost(home));
  const journal = new LiveJournal(openJournal(app.journal, systemClock));
  return {
    app,
    journal,
    git: (...args) =>
      execFileSync('git', args, {
        cwd: app.root,
        encoding: 'utf8',
        env: {
          ...gitHost(home),
          GIT_AUTHOR_NAME: 'P',
          GIT_AUTHOR_EMAIL: 'p@x',
          GIT_COMMITTER_NAME: 'P',
          GIT_COMMITTER_EMAIL: 'p@x',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim(),
    write: (path, content) => {
      mkdirSync(dirname(join(app.root, path)), { recursive: true });
      writeFileSync(join(app.root, path), content);
    },
    dispose: () => {
      journal.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The same with a first commit that holds the list and notes, as after an accepted start. */
export async function makeStartedApp(): Promise<TempApp & { base: string; text: string }> {
  const temp = await makeTempApp();
  const text = formatFeatureList(THREE_FEATURES);
  temp.write('features.json', text);
  temp.write('claude-progress.txt', 'first notes\n');
  temp.write('server.mjs', 'console.log(1)\n');
  temp.git('add', '-A');
  temp.git('commit', '-qm', 'start');
  return { ...temp, base: temp.git('rev-parse', 'HEAD'), text };
}
