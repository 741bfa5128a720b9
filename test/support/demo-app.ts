// The demo's app as it is when a session has ended, put together from its files and patches.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type DemoFeatureId,
  type DemoSession,
  demoFiles,
  demoPatch,
} from '../../harness/standin/demo/content.js';

/** In the order in which they come to pass: F-006 waits for F-007. */
export const PASSING_ORDER: readonly DemoFeatureId[] = [
  'F-001',
  'F-002',
  'F-003',
  'F-004',
  'F-005',
  'F-007',
  'F-006',
  'F-008',
  'F-009',
  'F-010',
];

/** Those whose first verification is not green. */
export const MENDED: readonly DemoFeatureId[] = ['F-002', 'F-003'];

export function writeDemoApp(folder: string, last: DemoSession = 'F-010'): void {
  writeFiles(folder, 'initializer');
  if (last === 'initializer') return;
  for (const id of PASSING_ORDER.slice(0, PASSING_ORDER.indexOf(last) + 1)) {
    applyPatch(folder, demoPatch(id, 'change'));
    writeFiles(folder, id);
    if (MENDED.includes(id)) applyPatch(folder, demoPatch(id, 'mend'));
  }
}

function writeFiles(folder: string, session: DemoSession): void {
  for (const { path, text } of demoFiles(session)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: path === 'init.sh' ? 0o755 : 0o644 });
  }
}

function applyPatch(folder: string, patch: string): void {
  execFileSync('git', ['apply'], { cwd: folder, input: patch, stdio: ['pipe', 'ignore', 'pipe'] });
}
