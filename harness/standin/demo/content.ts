// What the demo's script works with: the app's spec, its features, and what each session writes.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../base/package-root.js';

/** In order of priority, as in templates/demo/initializer/features.json. */
export const DEMO_FEATURE_IDS = [
  'F-001',
  'F-002',
  'F-003',
  'F-004',
  'F-005',
  'F-006',
  'F-007',
  'F-008',
  'F-009',
  'F-010',
] as const;

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
/** Beside the files that a session writes: its patches, its note and its commit message. */
const NOT_OF_THE_APP = /^(.*\.patch|note\.txt|commit\.txt|claude-progress\.txt)$/;

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
  return JSON.parse(read('initializer', 'features.json'));
}

/** The files that a session writes whole, in a settled order. */
export function demoFiles(session: DemoSession): DemoFile[] {
  const folder = join(DEMO_FOLDER, session);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => !NOT_OF_THE_APP.test(path) && statSync(join(folder, path)).isFile())
    .sort()
    .map(path => ({ path: appPath(path), text: read(session, path) }));
}

/**
 * A change of files that are there already, as a unified diff: `change` builds the feature, `mend` puts right what its
 * first verification found.
 */
export function demoPatch(id: DemoFeatureId, name: 'change' | 'mend'): string {
  return read(id, `${name}.patch`);
}

/** The commit message of a feature: what changed for the people who use the board, and why. */
export function demoCommit(id: DemoFeatureId): { subject: string; message: string } {
  const message = read(id, 'commit.txt').trimEnd();
  const [subject = ''] = message.split('\n', 1);
  return { subject, message };
}

/** The notes with which the first session ends. */
export function demoStartNotes(): string {
  return read('initializer', 'claude-progress.txt');
}

/** The line that a feature's session adds to the notes. */
export function demoNote(id: DemoFeatureId): string {
  return read(id, 'note.txt').trimEnd();
}

function read(session: DemoSession, path: string): string {
  return readFileSync(join(DEMO_FOLDER, session, path), 'utf8');
}

/** npm leaves files named .gitignore out of a package, so the demo's has no dot. */
function appPath(path: string): string {
  return path === 'gitignore' ? '.gitignore' : path;
}
