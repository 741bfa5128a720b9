// The demo's sessions one by one: the app as it is before each, the brief that each gets, and playing it.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import {
  DEMO_FEATURE_IDS,
  DEMO_SPEC_PATH,
  type DemoFeature,
  type DemoFeatureId,
  type DemoSession,
  demoCommit,
  demoFeatures,
} from '../../harness/standin/demo/content.js';
import { notesAfter } from '../../harness/standin/demo/notes.js';
import { demoScenario } from '../../harness/standin/demo-scenario.js';
import { PASSING_ORDER, writeDemoApp } from '../support/demo-app.js';
import {
  type Call,
  type ConversationOptions,
  converse,
  executorBrief,
  initializerBrief,
} from './demo-conversation.js';

/** What verify_feature says first in the sessions whose first verification is not green. */
export const RED: Partial<Record<DemoSession, string>> = {
  'F-002': 'F-002 is not verified. The spec of F-002 is green on an empty page too, so it proves nothing.',
  'F-003': 'F-003 is not verified. The step "Reload the page: …" failed: expected the card to be visible.',
};
export const TOTAL = DEMO_FEATURE_IDS.length;
const SESSIONS: DemoSession[] = ['initializer', ...PASSING_ORDER];

const folder = mkdtempSync(join(tmpdir(), 'demo-stages-'));
/** Where sessions are played. */
export const app = join(folder, 'app');

/** Puts the stages together for the tests of a file. */
export function makeStages(): void {
  beforeAll(() => {
    for (const session of ['empty', ...SESSIONS] as const) {
      const stage = stageOf(session);
      execFileSync('git', ['init', '--quiet', '--initial-branch=main', stage]);
      if (session === 'empty') continue;
      writeDemoApp(stage, session);
      git(stage, 'config', 'user.name', 'Tester');
      git(stage, 'config', 'user.email', 'tester@example.org');
      git(stage, 'add', '-A');
      git(stage, 'commit', '--quiet', '-m', 'A stage');
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
}

/** The app as it is when a session went well. */
export function stageOf(session: DemoSession | 'empty'): string {
  return join(folder, session);
}

/** Lays the app out as it is before a session. */
export function layOut(session: DemoSession): void {
  rmSync(app, { recursive: true, force: true });
  const before = session === 'initializer' ? 'empty' : SESSIONS[SESSIONS.indexOf(session) - 1];
  cpSync(stageOf(before ?? 'empty'), app, { recursive: true });
}

export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();
}

export function doneBefore(session: DemoFeatureId): DemoFeatureId[] {
  return PASSING_ORDER.slice(0, PASSING_ORDER.indexOf(session));
}

export function featureOf(id: DemoFeatureId): DemoFeature {
  const feature = demoFeatures().find(entry => entry.id === id);
  if (!feature) throw new Error(id);
  return feature;
}

/** The brief of a session when all sessions before it went well. */
export function briefOf(session: DemoSession, done?: DemoFeatureId[]): string {
  if (session === 'initializer') return initializerBrief(DEMO_SPEC_PATH);
  const before = done ?? doneBefore(session);
  return executorBrief({
    feature: featureOf(session),
    notes: notesAfter(before),
    done: before.map(id => demoCommit(id).subject),
    total: TOTAL,
  });
}

export function play(session: DemoSession, options: Partial<ConversationOptions> = {}): Promise<Call[]> {
  const verdicts = [RED[session] ?? [], null].flat();
  return converse({ scenario: demoScenario(), app, brief: briefOf(session), verdicts, ...options });
}

/** Every file of the app but the notes, which the harness writes. */
export function filesOf(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter(path => !path.includes('/.git/') && !path.endsWith('claude-progress.txt'))
    .sort();
  return Object.fromEntries(paths.map(path => [path.slice(root.length), readFileSync(path, 'utf8')]));
}
