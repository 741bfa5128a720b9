import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { type CanonicalList, readCanonicalList } from '../../harness/workspace/list-guard.js';
import { restoreCommittedSpec, restoreSpec } from '../../harness/workspace/spec-guard.js';
import { makeStartedApp } from '../support/temp-app.js';

let temp: Awaited<ReturnType<typeof makeStartedApp>>;
let canonical: CanonicalList;
beforeEach(async () => {
  temp = await makeStartedApp();
  temp.write('app_spec.md', '# What a person asked for\n');
  temp.git('add', '-A');
  temp.git('commit', '-qm', 'spec');
  canonical = await readCanonicalList(temp.app, temp.git('rev-parse', 'HEAD'));
});
afterEach(() => temp.dispose());

const onDisk = () => readFileSync(join(temp.app.root, 'app_spec.md'), 'utf8');
const deps = () => ({ app: temp.app, journal: temp.journal, branch: 'main', now: systemClock.now() });

it.each<[string, () => void]>([
  ['edited', () => temp.write('app_spec.md', '# Less\n')],
  ['removed', () => rmSync(join(temp.app.root, 'app_spec.md'))],
])(
  'an app spec that a session %s is put back on disk and in a commit, and the rest of the commit stays',
  async (_, change) => {
    change();
    temp.write('server.mjs', 'work');
    temp.git('commit', '-qam', 'easier');
    expect(restoreSpec(deps(), canonical, 2)).toBe(true);
    expect(onDisk()).toBe('# What a person asked for\n');
    expect(await restoreCommittedSpec(deps(), canonical, 2)).toBe(true);
    expect(temp.git('show', 'HEAD:app_spec.md')).toBe('# What a person asked for');
    expect(temp.git('show', 'HEAD:server.mjs')).toBe('work');
    expect(temp.git('status', '--porcelain')).toBe('');
    expect(restoreSpec(deps(), canonical, 2) || (await restoreCommittedSpec(deps(), canonical, 2))).toBe(
      false,
    );
  },
);
