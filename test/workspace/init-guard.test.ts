import { chmodSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KnownInit, restoreCommittedInit, restoreInit } from '../../harness/workspace/init-guard.js';
import { makeStartedApp } from '../support/temp-app.js';

const SCRIPT = '#!/usr/bin/env bash\necho started\n';

let temp: Awaited<ReturnType<typeof makeStartedApp>>;
let known: KnownInit;
let path: string;
beforeEach(async () => {
  temp = await makeStartedApp();
  path = join(temp.app.root, 'init.sh');
  temp.write('init.sh', SCRIPT);
  chmodSync(path, 0o755);
  const proved = commit('with init.sh');
  known = { base: proved, proved };
});
afterEach(() => temp.dispose());

function commit(message: string): string {
  temp.git('add', '-A');
  temp.git('commit', '-qm', message);
  return temp.git('rev-parse', 'HEAD');
}

const restored = () => temp.journal.records.filter(record => record.type === 'init.restored');
const inHead = () => temp.git('ls-tree', 'HEAD', 'init.sh').split(/\s/)[0];
const onDisk = () => restoreInit(temp, known, 2);
const inCommit = () =>
  restoreCommittedInit(
    { app: temp.app, journal: temp.journal, branch: 'main', now: Date.now() },
    { known, listText: temp.text, session: 2 },
  );

const LOSSES: [string, RegExp, () => void][] = [
  ['removed', /removed/, () => rmSync(path)],
  ['emptied', /empty/, () => temp.write('init.sh', '\n')],
  ['made one that cannot be run', /could not be run/, () => chmodSync(path, 0o644)],
  [
    'replaced by a link',
    /link or folder/,
    () => {
      rmSync(path);
      symlinkSync('server.mjs', path);
    },
  ],
  [
    'replaced by a folder',
    /link or folder/,
    () => {
      rmSync(path);
      temp.write('init.sh/start', 'x');
    },
  ],
];

describe('an init.sh on disk', () => {
  it.each(LOSSES)('that was %s is put back and recorded', async (_, sentence, lose) => {
    lose();
    expect(await onDisk()).toMatch(sentence);
    expect(readFileSync(path, 'utf8')).toBe(SCRIPT);
    expect(statSync(path).mode & 0o777).toBe(0o755);
    expect(temp.git('status', '--porcelain')).toBe('');
    expect(restored()).toMatchObject([{ session: 2, found: expect.stringMatching(sentence) }]);
    expect(await onDisk()).toBeNull();
  });

  it('that was changed is left to the verification', async () => {
    temp.write('init.sh', `${SCRIPT}echo more\n`);
    expect(await onDisk()).toBeNull();
    expect(readFileSync(path, 'utf8')).toContain('more');
    expect(restored()).toEqual([]);
  });

  it('that was changed and loses its bit keeps the change', async () => {
    temp.write('init.sh', `${SCRIPT}echo more\n`);
    chmodSync(path, 0o600);
    await onDisk();
    expect(readFileSync(path, 'utf8')).toContain('more');
    expect(statSync(path).mode & 0o100).toBe(0o100);
  });

  it('comes back as the newest commit that has one has it', async () => {
    temp.write('init.sh', `${SCRIPT}echo newer\n`);
    commit('better');
    rmSync(path);
    await onDisk();
    expect(readFileSync(path, 'utf8')).toContain('newer');
  });

  it('need not be executable where it never was', async () => {
    chmodSync(path, 0o644);
    const proved = commit('plain');
    known = { base: proved, proved };
    expect(await onDisk()).toBeNull();
    rmSync(path);
    await onDisk();
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });
});

describe('an init.sh in a commit', () => {
  it.each(LOSSES.filter(([what]) => !/emptied|link/.test(what)))(
    'that was %s is put back by a commit on top, and the rest of the commit stays',
    async (_, sentence, lose) => {
      lose();
      temp.write('server.mjs', 'real work\n');
      const theirs = commit('theirs');
      expect(await inCommit()).toMatch(sentence);
      expect(temp.git('rev-parse', 'HEAD^')).toBe(theirs);
      expect(temp.git('show', 'HEAD:init.sh')).toBe(SCRIPT.trim());
      expect(inHead()).toBe('100755');
      expect(temp.git('show', 'HEAD:server.mjs')).toBe('real work');
      expect(readFileSync(path, 'utf8')).toBe(SCRIPT);
      expect(temp.git('status', '--porcelain')).toBe('');
      expect(restored()).toHaveLength(1);
      expect(await inCommit()).toBeNull();
      expect(await onDisk()).toBeNull();
    },
  );

  it('that git was told to ignore is put back there too', async () => {
    temp.write('.gitignore', 'init.sh\n');
    temp.git('rm', '-q', '--cached', 'init.sh');
    temp.git('commit', '-qam', 'hidden');
    expect(await inCommit()).toMatch(/removed/);
    expect(inHead()).toBe('100755');
  });

  it('never comes back with a list that was changed in the same commit', async () => {
    rmSync(path);
    temp.write('features.json', temp.text.replaceAll('false', 'true'));
    commit('all done');
    await inCommit();
    expect(temp.git('show', 'HEAD:features.json')).toBe(temp.text.trim());
  });

  it('is left alone when it was only changed', async () => {
    temp.write('init.sh', `${SCRIPT}echo more\n`);
    const head = commit('better');
    expect(await inCommit()).toBeNull();
    expect(temp.git('rev-parse', 'HEAD')).toBe(head);
  });
});
