import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { amendList } from '../../harness/features/amend-list.js';
import { contractHash } from '../../harness/features/contract.js';
import type { JournalEvent } from '../../harness/journal/records.js';
import { amendRun } from '../../harness/runner/amend.js';
import { settle } from '../../harness/runner/recover.js';
import type { AppSpec } from '../../harness/workspace/app-spec.js';
import { makeStartedApp, THREE_FEATURES } from '../support/temp-app.js';

let temp: Awaited<ReturnType<typeof makeStartedApp>>;
beforeEach(async () => {
  temp = await makeStartedApp();
  temp.write('e2e/F-002.spec.ts', 'its spec\n');
  temp.write('app_spec.md', '# old\n');
  temp.write('app_spec/old.png', 'old');
  temp.git('add', '-A');
  temp.git('commit', '-qm', 'more');
  const commit = temp.git('rev-parse', 'HEAD');
  temp.journal.append({
    type: 'session.begin',
    session: 1,
    kind: 'initializer',
    feature: null,
    title: '',
    base: '',
  });
  temp.journal.append({ type: 'commit.done', session: 1, purpose: { kind: 'init' }, commit });
  temp.journal.append({
    type: 'init.done',
    session: 1,
    commit,
    contractSha256: contractHash(THREE_FEATURES),
    total: 3,
    plan: { stack: '', programs: [], questions: [] },
  });
});
afterEach(() => temp.dispose());

const PICTURE = Buffer.from([0, 255, 1, 254]);
const SPEC: AppSpec = {
  text: '# new\n',
  files: [{ path: 'looks/[1].png', content: PICTURE }],
  sha256: 'new',
};

const deps = () => ({
  app: temp.app,
  journal: temp.journal,
  branch: 'main',
  clock: systemClock,
  say: () => {},
  endProcesses: async () => 0,
});

function amend() {
  const list = amendList(
    THREE_FEATURES,
    THREE_FEATURES.filter(({ id }) => id !== 'F-002'),
  );
  if (!list.ok) throw new Error('not a list');
  return amendRun(deps(), { before: THREE_FEATURES, list, spec: SPEC });
}

function expectAmended() {
  const { state } = temp.journal;
  expect(state).toMatchObject({ total: 2, specSha256: 'new', pendingCommit: null });
  expect(state.dropped).toEqual(new Set(['F-002']));
  expect(temp.git('status', '--porcelain')).toBe('');
  expect(temp.git('ls-files').split('\n')).toEqual([
    'app_spec.md',
    'app_spec/looks/[1].png',
    'claude-progress.txt',
    'features.json',
    'server.mjs',
  ]);
  for (const gone of ['e2e/F-002.spec.ts', 'app_spec/old.png'])
    expect(existsSync(join(temp.app.root, gone))).toBe(false);
  expect(readFileSync(join(temp.app.root, 'app_spec/looks/[1].png'))).toEqual(PICTURE);
  expect(readFileSync(join(temp.app.root, 'app_spec.md'), 'utf8')).toBe('# new\n');
}

describe('an amendment', () => {
  it('is one commit: list, app spec with its pictures, and the spec of a dropped feature', async () => {
    await amend();
    expectAmended();
    expect(temp.git('rev-list', '--count', 'HEAD')).toBe('3');
  });

  it.each<[JournalEvent['type'], 'before' | 'after']>([
    ['commit.intent', 'after'],
    ['commit.done', 'before'],
  ])('killed at %s, %s it was written, is finished by the next start', async (type, when) => {
    const { append } = temp.journal;
    temp.journal.append = event => {
      if (event.type !== type) return append.call(temp.journal, event);
      if (when === 'after') append.call(temp.journal, event);
      throw new Error('killed');
    };
    await expect(amend()).rejects.toThrow('killed');
    temp.journal.append = append;
    await settle(deps());
    expectAmended();
    const head = temp.git('rev-parse', 'HEAD');
    await settle(deps());
    expect(temp.git('rev-parse', 'HEAD')).toBe(head);
  });
});
