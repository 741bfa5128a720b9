// What the demo's script works with: the app's spec, its features, and the files that each session writes.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../base/package-root.js';

/** In order of priority, as in templates/demo/initializer/features.json. */
export const DEMO_FEATURE_IDS = ['F-001', 'F-002', 'F-003'] as const;

export type DemoFeatureId = (typeof DEMO_FEATURE_IDS)[number];
export type DemoSession = 'initializer' | DemoFeatureId;

export interface DemoFeature {
  id: string;
  description: string;
  steps: string[];
}

/** A file of the app, its path relative to the app's root. */
export interface DemoFile {
  path: string;
  text: string;
}

const DEMO_FOLDER = join(packageRoot, 'templates', 'demo');
const PROGRESS_FILE = 'claude-progress.txt';

/** What a person would hand to `--spec`. */
export const DEMO_SPEC_PATH = join(DEMO_FOLDER, 'spec.md');

export function isDemoFeature(id: string): id is DemoFeatureId {
  return DEMO_FEATURE_IDS.some(known => known === id);
}

export function demoSpecTitle(): string {
  const [title = ''] = readFileSync(DEMO_SPEC_PATH, 'utf8').split('\n', 1);
  return title.replace(/^#\s*/, '');
}

export function demoFeatures(): DemoFeature[] {
  return JSON.parse(readFileSync(join(DEMO_FOLDER, 'initializer', 'features.json'), 'utf8'));
}

/** The files of a session in a settled order, but for its notes: those are handed to the tool that ends it. */
export function demoFiles(session: DemoSession): DemoFile[] {
  const folder = join(DEMO_FOLDER, session);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path !== PROGRESS_FILE && statSync(join(folder, path)).isFile())
    .sort()
    .map(path => ({ path: appPath(path), text: readFileSync(join(folder, path), 'utf8') }));
}

/** The text of claude-progress.txt when the session has ended. */
export function demoProgress(session: DemoSession): string {
  return readFileSync(join(DEMO_FOLDER, session, PROGRESS_FILE), 'utf8');
}

/** The line by which a session's notes are known; every later session keeps it. */
export function progressMark(session: DemoSession): string {
  const start = session === 'initializer' ? '- Start: ' : `- ${session}: `;
  const mark = demoProgress(session)
    .split('\n')
    .find(line => line.startsWith(start));
  if (mark === undefined)
    throw new Error(`the demo's notes of ${session} have no line that starts with "${start}"`);
  return mark;
}

/** npm leaves files named .gitignore out of a package, so the demo's has no dot. */
function appPath(path: string): string {
  return path === 'gitignore' ? '.gitignore' : path;
}
