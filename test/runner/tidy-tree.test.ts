import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { resolveSettings } from '../../harness/config/settings.js';
import { contractHash } from '../../harness/features/contract.js';
import { formatFeatureList, withPass } from '../../harness/features/feature-list.js';
import { reduce } from '../../harness/journal/reduce.js';
import { recover } from '../../harness/runner/recover.js';
import type { RunDeps } from '../../harness/runner/run-deps.js';
import { tidyTree } from '../../harness/runner/tidy-tree.js';
import { openBareRoom } from '../../harness/workspace/bare-room.js';
import { makeStartedApp, THREE_FEATURES } from '../support/temp-app.js';

let temp: Awaited<ReturnType<typeof makeStartedApp>>;
let deps: RunDeps;
let said: string[];
beforeEach(async () => {
  temp = await makeStartedApp();
  said = [];
  const never = () => {
    throw new Error('not part of this');
  };
  deps = {
    app: temp.app,
    branch: 'main',
    journal: temp.journal,
    clock: systemClock,
    settings: resolveSettings({ flags: {}, operatorFile: null, appFile: null }),
    proof: { missing: never, file: never, hash: never, run: never },
    openModel: never,
    acceptedTypes: new Set(),
    browser: { executablePath: '', kind: 'chromium' },
    rg: null,
    openRoom: (name, marker) =>
      openBareRoom({
        folder: join(temp.app.root, '..', 'rooms', name),
        marker,
        clock: systemClock,
        host: { PATH: process.env.PATH },
      }),
    endProcesses: async () => 0,
    sweepRooms: () => {},
    say: line => said.push(line),
    signal: new AbortController().signal,
    asked: () => null,
    mine: null,
  };
  temp.journal.append({
    type: 'run.begin',
    runId: 'r',
    branch: 'main',
    specSha256: 's',
    longhaul: '0',
    files: [],
  });
  temp.journal.append({
    type: 'session.begin',
    session: 1,
    kind: 'initializer',
    feature: null,
    title: '',
    base: '',
  });
  temp.journal.append({ type: 'commit.done', session: 1, purpose: { kind: 'init' }, commit: temp.base });
  temp.journal.append({
    type: 'init.done',
    session: 1,
    commit: temp.base,
    contractSha256: contractHash(THREE_FEATURES),
    total: 3,
    plan: { stack: '', programs: [], questions: [] },
  });
  temp.journal.append({
    type: 'session.end',
    session: 1,
    reason: 'finished',
    summary: '',
    turns: 1,
    outcome: 'done',
    blockedBy: [],
    salvage: null,
    did: [],
  });
});
afterEach(() => temp.dispose());

const tidy = (isSound = async () => false) =>
  tidyTree(deps, { session: 2, feature: 'F-001', base: temp.base, isSound });
const onDisk = (path: string) => readFileSync(join(temp.app.root, path), 'utf8');

describe('after a session', () => {
  it('a clean tree stays as it is', async () => {
    expect(await tidy()).toEqual({ salvage: null, did: [] });
    expect(temp.git('rev-parse', 'HEAD')).toBe(temp.base);
  });

  it('unfinished files are saved under a ref and taken out of the tree, ignored ones stay', async () => {
    temp.write('.gitignore', 'node_modules/\n');
    temp.git('add', '-A');
    temp.git('commit', '-qm', 'ignore');
    temp.write('server.mjs', 'changed\n');
    temp.write('new/file.txt', 'new\n');
    temp.write('node_modules/x.js', 'kept\n');
    rmSync(join(temp.app.root, 'claude-progress.txt'));
    const { salvage } = await tidy();
    expect(salvage).toBe('refs/longhaul/salvage/2');
    expect(temp.git('status', '--porcelain')).toBe('');
    expect(onDisk('server.mjs')).toBe('console.log(1)\n');
    expect(existsSync(join(temp.app.root, 'new'))).toBe(false);
    expect(onDisk('node_modules/x.js')).toBe('kept\n');
    expect(temp.git('show', `${salvage}:server.mjs`)).toBe('changed');
    expect(temp.git('show', `${salvage}:new/file.txt`)).toBe('new');
  });

  it('unfinished files that are sound are committed as unproved work', async () => {
    temp.write('server.mjs', 'half of it\n');
    const { salvage, did } = await tidy(async () => true);
    expect(salvage).toBeNull();
    expect(did.join()).toMatch(/committed as [0-9a-f]{7}, not verified: the app comes up/);
    expect(temp.git('log', '-1', '--format=%s')).toBe('wip F-001 (not verified)');
    expect(temp.git('show', 'HEAD:server.mjs')).toBe('half of it');
    expect(temp.git('status', '--porcelain')).toBe('');
    expect(temp.journal.state.features.get('F-001')?.passed ?? false).toBe(false);
  });

  it('what changes while it is looked at is not committed but saved', async () => {
    temp.write('server.mjs', 'half\n');
    const { salvage } = await tidy(async () => {
      temp.write('server.mjs', 'changed by a check\n');
      return true;
    });
    expect(salvage).toBe('refs/longhaul/salvage/2');
    expect(temp.git('rev-parse', 'HEAD')).toBe(temp.base);
  });

  it('commits of the agent are kept', async () => {
    temp.write('server.mjs', 'better\n');
    temp.git('commit', '-qam', 'mine');
    const head = temp.git('rev-parse', 'HEAD');
    await tidy();
    expect(temp.git('rev-parse', 'HEAD')).toBe(head);
  });

  it('new notes are committed alone', async () => {
    temp.write('claude-progress.txt', 'what I learned');
    temp.write('server.mjs', 'unfinished\n');
    await tidy();
    expect(temp.git('show', '--name-only', '--format=%s', 'HEAD')).toBe(
      'Notes of session 2\n\nclaude-progress.txt',
    );
    expect(onDisk('claude-progress.txt')).toBe('what I learned\n');
    expect(onDisk('server.mjs')).toBe('console.log(1)\n');
  });

  it('a branch that was reset or rewritten comes back, its other history stays in a ref', async () => {
    temp.git('checkout', '-q', '--orphan', 'fresh');
    temp.git('commit', '-qm', 'no past');
    const rewritten = temp.git('rev-parse', 'HEAD');
    temp.git('branch', '-qM', 'fresh', 'main');
    const { did } = await tidy();
    expect(temp.git('rev-parse', 'HEAD')).toBe(temp.base);
    expect(temp.git('rev-parse', 'refs/longhaul/salvage/2-branch')).toBe(rewritten);
    expect(did.join()).toContain('no longer held the commits');
  });

  it.each([
    ['detached', ['checkout', '-q', '--detach']],
    ['on another branch', ['checkout', '-qb', 'side']],
  ])('a HEAD that is %s is on the branch again, its commits stay in a ref', async (_, checkout) => {
    temp.git(...checkout);
    temp.git('commit', '-q', '--allow-empty', '-m', 'elsewhere');
    const elsewhere = temp.git('rev-parse', 'HEAD');
    await tidy();
    expect(temp.git('symbolic-ref', '--short', 'HEAD')).toBe('main');
    expect(temp.git('rev-parse', 'refs/longhaul/salvage/2-head')).toBe(elsewhere);
    expect(temp.git('status', '--porcelain')).toBe('');
  });

  it('a repository inside the app is saved as files, with its git folder kept aside', async () => {
    mkdirSync(join(temp.app.root, 'web'));
    temp.git('init', '-q', 'web');
    temp.write('web/index.js', 'inner\n');
    temp.git('-C', 'web', 'add', '-A');
    temp.git('-C', 'web', 'commit', '-qm', 'inner');
    const { salvage } = await tidy();
    expect(temp.git('show', `${salvage}:web/index.js`)).toBe('inner');
    expect(existsSync(join(temp.app.state, 'salvage', '2', 'web.git', 'HEAD'))).toBe(true);
    expect(temp.git('status', '--porcelain')).toBe('');
  });

  it('a temporary file of a write that was cut off is removed and not saved', async () => {
    temp.write(`.longhaul-${'a'.repeat(24)}.tmp`, 'half');
    expect(await tidy()).toMatchObject({ salvage: null });
    expect(temp.git('status', '--porcelain')).toBe('');
  });
});

describe('the list', () => {
  const flipped = () => formatFeatureList(withPass(THREE_FEATURES, 'F-001'));

  it.each<[string, () => void]>([
    ['flipped', () => temp.write('features.json', flipped())],
    ['emptied', () => temp.write('features.json', '')],
    ['reworded', () => temp.write('features.json', temp.text.replace('What F-002 does', 'less'))],
    ['minified', () => temp.write('features.json', JSON.stringify(THREE_FEATURES))],
    ['removed', () => rmSync(join(temp.app.root, 'features.json'))],
    [
      'replaced by a folder',
      () => {
        rmSync(join(temp.app.root, 'features.json'));
        temp.write('features.json/x', 'x');
      },
    ],
    [
      'replaced by a link to a copy',
      () => {
        temp.write('copy.json', temp.text);
        rmSync(join(temp.app.root, 'features.json'));
        symlinkSync('copy.json', join(temp.app.root, 'features.json'));
      },
    ],
  ])('%s on disk is put back byte for byte and recorded', async (_, damage) => {
    damage();
    await tidy();
    expect(onDisk('features.json')).toBe(temp.text);
    expect(temp.journal.records.filter(record => record.type === 'list.restored')).toHaveLength(1);
    expect(temp.git('status', '--porcelain')).toBe('');
  });

  it('flipped in a commit of the agent is put back by a commit on top, the rest of the commit stays', async () => {
    temp.write('features.json', flipped());
    temp.write('server.mjs', 'real work\n');
    temp.git('commit', '-qam', 'all done!');
    await tidy();
    expect(temp.git('show', 'HEAD:features.json')).toBe(temp.text.trim());
    expect(temp.git('show', 'HEAD:server.mjs')).toBe('real work');
    expect(onDisk('features.json')).toBe(temp.text);
    expect([...temp.journal.state.features.values()].some(feature => feature.passed)).toBe(false);
  });
});

describe('between sessions', () => {
  it("a person's changes are shown and never touched", async () => {
    temp.write('server.mjs', 'a person was here\n');
    await expect(recover(deps)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('server.mjs'),
    });
    expect(onDisk('server.mjs')).toBe('a person was here\n');
  });

  it("a person's commits are kept", async () => {
    temp.write('server.mjs', 'a person was here\n');
    temp.git('commit', '-qam', 'by hand');
    const head = temp.git('rev-parse', 'HEAD');
    await recover(deps);
    expect(temp.git('rev-parse', 'HEAD')).toBe(head);
  });

  it('a branch that no longer holds what passed is damage, and nothing is changed', async () => {
    temp.git('checkout', '-q', '--orphan', 'fresh');
    temp.git('commit', '-qm', 'no past');
    temp.git('branch', '-qM', 'fresh', 'main');
    const head = temp.git('rev-parse', 'HEAD');
    await expect(recover(deps)).rejects.toMatchObject({
      code: 'damage',
      exitCode: 1,
      message: expect.stringContaining('no longer holds'),
    });
    expect(temp.git('rev-parse', 'HEAD')).toBe(head);
  });

  it('another branch is refused with the command that helps', async () => {
    temp.git('checkout', '-qb', 'side');
    await expect(recover(deps)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('git checkout main'),
    });
  });

  it('an edited list is put back and said', async () => {
    temp.write('features.json', flippedAll());
    await recover(deps);
    expect(onDisk('features.json')).toBe(temp.text);
    expect(temp.journal.records.at(-1)).toMatchObject({
      type: 'list.restored',
      found: expect.stringContaining('passes of F-001 was set to true'),
    });
  });

  it('an init.sh that a person removed comes back, and the next session is told', async () => {
    temp.write('init.sh', 'echo here\n');
    temp.git('add', '-A');
    temp.git('commit', '-qm', 'with init.sh');
    temp.journal.append({
      type: 'commit.done',
      session: 1,
      purpose: { kind: 'flip', feature: 'F-001' },
      commit: temp.git('rev-parse', 'HEAD'),
    });
    temp.git('rm', '-q', 'init.sh');
    temp.git('commit', '-qm', 'by hand');
    await recover(deps);
    expect(onDisk('init.sh')).toBe('echo here\n');
    expect(temp.git('log', '-2', '--format=%s')).toBe(
      'Put init.sh back: without it no session can bring the app up\nby hand',
    );
    const told = 'left the app without its init.sh (in a commit: it was removed); it was put back';
    expect(temp.journal.state.personDid).toContain(told);
    rmSync(join(temp.app.root, 'init.sh'));
    await recover(deps);
    expect(onDisk('init.sh')).toBe('echo here\n');
    const again = 'left the app without its init.sh (it was removed); it was put back';
    expect(reduce(temp.journal.records).personDid).toEqual(expect.arrayContaining([told, again]));
  });

  it('recovering twice is recovering once', async () => {
    temp.journal.append({
      type: 'session.begin',
      session: 2,
      kind: 'executor',
      feature: 'F-001',
      title: '',
      base: temp.base,
    });
    temp.write('server.mjs', 'half\n');
    await recover(deps);
    const after = [temp.git('rev-parse', 'HEAD'), temp.git('for-each-ref'), temp.journal.records.length];
    await recover(deps);
    expect([temp.git('rev-parse', 'HEAD'), temp.git('for-each-ref'), temp.journal.records.length]).toEqual(
      after,
    );
  });

  const flippedAll = () => formatFeatureList(THREE_FEATURES.map(feature => ({ ...feature, passes: true })));
});

describe('files of a crashed session', () => {
  it('are saved for the next brief', async () => {
    temp.journal.append({
      type: 'session.begin',
      session: 2,
      kind: 'executor',
      feature: 'F-001',
      title: '',
      base: temp.base,
    });
    writeFileSync(join(temp.app.root, 'server.mjs'), 'half\n');
    await recover(deps);
    expect(temp.journal.state.lastSession).toMatchObject({
      session: 2,
      end: 'crashed',
      salvage: 'refs/longhaul/salvage/2',
    });
    expect(temp.git('show', 'refs/longhaul/salvage/2:server.mjs')).toBe('half');
    expect(onDisk('server.mjs')).toBe('console.log(1)\n');
  });
});
