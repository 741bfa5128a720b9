import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatFeatureList, withPass } from '../../harness/features/feature-list.js';
import type { CommitPlan } from '../../harness/journal/records.js';
import { commitPlan, recoverCommit } from '../../harness/workspace/commit.js';
import { removeStaleGitLocks } from '../../harness/workspace/git-locks.js';
import { makeStartedApp, THREE_FEATURES } from '../support/temp-app.js';

let temp: Awaited<ReturnType<typeof makeStartedApp>>;
beforeEach(async () => {
  temp = await makeStartedApp();
});
afterEach(() => temp.dispose());

const FLIP = { kind: 'flip', feature: 'F-001' } as const;
const flipped = formatFeatureList(withPass(THREE_FEATURES, 'F-001'));
const deps = () => ({ app: temp.app, journal: temp.journal, branch: 'main' });

async function plan(): Promise<CommitPlan> {
  temp.write('server.mjs', 'console.log(2)\n');
  const written = await temp.app.git.writeTree([
    { path: 'features.json', content: flipped },
    { path: 'claude-progress.txt', content: 'new notes\n' },
  ]);
  if (!written.ok) throw new Error('nested');
  return {
    base: temp.base,
    tree: written.tree,
    dateMs: 1_700_000_000_000,
    message: 'Subject\n\nLonghaul-Feature: F-001\n',
  };
}

describe('commitPlan', () => {
  it('moves the branch, rewrites list, notes and index, and leaves a clean tree', async () => {
    const outcome = await commitPlan(deps(), await plan(), FLIP, 2);
    expect(outcome.done).toBe(true);
    expect(temp.git('rev-parse', 'HEAD^')).toBe(temp.base);
    expect(temp.git('status', '--porcelain')).toBe('');
    expect(readFileSync(join(temp.app.root, 'features.json'), 'utf8')).toBe(flipped);
    expect(readFileSync(join(temp.app.root, 'claude-progress.txt'), 'utf8')).toBe('new notes\n');
    expect(temp.journal.records.map(record => record.type)).toEqual(['commit.intent', 'commit.done']);
  });

  it('changes nothing when HEAD moved meanwhile, and says where it is', async () => {
    const late = await plan();
    temp.git('commit', '-q', '--allow-empty', '-m', 'somebody else');
    const head = temp.git('rev-parse', 'HEAD');
    expect(await commitPlan(deps(), late, FLIP, 2)).toEqual({ done: false, head });
    expect(temp.git('rev-parse', 'HEAD')).toBe(head);
    expect(readFileSync(join(temp.app.root, 'features.json'), 'utf8')).toBe(temp.text);
    expect(temp.journal.records.at(-1)).toMatchObject({ type: 'commit.void', head });
    expect(temp.journal.state.pendingCommit).toBeNull();
  });

  it('makes the same commit from the same plan', async () => {
    const same = await plan();
    expect(await temp.app.git.commitTree(same)).toBe(await temp.app.git.commitTree(same));
  });

  it('runs no hook of the repository', async () => {
    const mark = join(temp.app.root, '..', 'hook-ran');
    for (const hook of ['reference-transaction', 'post-index-change', 'pre-commit', 'post-commit']) {
      const path = join(temp.app.gitDir, 'hooks', hook);
      mkdirSync(join(temp.app.gitDir, 'hooks'), { recursive: true });
      writeFileSync(path, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    }
    await commitPlan(deps(), await plan(), FLIP, 2);
    expect(existsSync(mark)).toBe(false);
  });

  it('commits with an identity where nobody set one', async () => {
    await commitPlan(deps(), await plan(), FLIP, 2);
    expect(temp.git('log', '-1', '--format=%an')).toBe('Longhaul');
  });

  it("keeps the repository's own identity", async () => {
    temp.git('config', 'user.name', 'Ada');
    temp.git('config', 'user.email', 'ada@example.org');
    await commitPlan(deps(), await plan(), FLIP, 2);
    expect(temp.git('log', '-1', '--format=%an <%ae>')).toBe('Ada <ada@example.org>');
  });
});

describe('recoverCommit', () => {
  const pending = async () => {
    const made = await plan();
    return { session: 2, purpose: FLIP, base: made.base, commit: await temp.app.git.commitTree(made) };
  };
  const agree = () => {
    expect(temp.git('show', 'HEAD:features.json').trim()).toBe(flipped.trim());
    expect(readFileSync(join(temp.app.root, 'features.json'), 'utf8')).toBe(flipped);
    expect(temp.git('status', '--porcelain')).toBe('');
  };

  it('swaps when HEAD is still at the base', async () => {
    await recoverCommit(deps(), await pending());
    agree();
  });

  it('goes on when the swap had happened, and twice is once', async () => {
    const made = await pending();
    temp.git('update-ref', 'refs/heads/main', made.commit, made.base);
    await recoverCommit(deps(), made);
    agree();
    const head = temp.git('rev-parse', 'HEAD');
    await recoverCommit(deps(), made);
    agree();
    expect(temp.git('rev-parse', 'HEAD')).toBe(head);
  });

  it('goes on when others committed on top of it', async () => {
    const made = await pending();
    temp.git('update-ref', 'refs/heads/main', made.commit, made.base);
    temp.git('reset', '-q', '--hard');
    temp.git('commit', '-q', '--allow-empty', '-m', 'on top');
    const head = temp.git('rev-parse', 'HEAD');
    await recoverCommit(deps(), made);
    expect(temp.git('rev-parse', 'HEAD')).toBe(head);
  });

  it('guesses nothing when HEAD is neither at the base nor above the commit', async () => {
    const made = await pending();
    temp.git('checkout', '-q', '--', '.');
    temp.git('commit', '-q', '--allow-empty', '-m', 'another way');
    const head = temp.git('rev-parse', 'HEAD');
    await expect(recoverCommit(deps(), made)).rejects.toMatchObject({ code: 'conflict' });
    expect(temp.git('rev-parse', 'HEAD')).toBe(head);
  });
});

describe('writeTree', () => {
  it('takes what is on disk whatever the index of the repository says', async () => {
    temp.git('update-index', '--assume-unchanged', 'server.mjs');
    temp.write('server.mjs', 'hidden change\n');
    const written = await temp.app.git.writeTree();
    if (!written.ok) throw new Error('nested');
    expect(temp.git('show', `${written.tree}:server.mjs`)).toBe('hidden change');
  });

  it('leaves the index of the repository as it was', async () => {
    temp.write('new.txt', 'x');
    const before = readFileSync(join(temp.app.gitDir, 'index'));
    await temp.app.git.writeTree();
    expect(readFileSync(join(temp.app.gitDir, 'index'))).toEqual(before);
    expect(temp.git('status', '--porcelain')).toBe('?? new.txt');
  });

  it('names repositories inside the app instead of leaving their files out', async () => {
    mkdirSync(join(temp.app.root, 'web'));
    temp.git('init', '-q', 'web');
    temp.write('web/index.js', 'x');
    temp.git('-C', 'web', 'add', '-A');
    temp.git('-C', 'web', 'commit', '-qm', 'inner');
    expect(await temp.app.git.writeTree()).toEqual({ ok: false, nested: ['web'] });
  });

  it('keeps odd file names', async () => {
    temp.write('dir with space/ä "quoted"\nline.txt', 'x');
    const written = await temp.app.git.writeTree();
    if (!written.ok) throw new Error('nested');
    expect(temp.git('ls-tree', '-r', '-z', '--name-only', written.tree)).toContain(
      'dir with space/ä "quoted"\nline.txt',
    );
  });
});

describe('removeStaleGitLocks', () => {
  it('removes those of index, HEAD and refs, after which commits work again', async () => {
    for (const lock of ['index.lock', 'HEAD.lock', 'refs/heads/main.lock'])
      writeFileSync(join(temp.app.gitDir, lock), '');
    const made = await plan();
    await expect(commitPlan(deps(), made, FLIP, 2)).rejects.toMatchObject({ code: 'git' });
    expect(removeStaleGitLocks(temp.app.gitDir).sort()).toEqual([
      'HEAD.lock',
      'index.lock',
      'refs/heads/main.lock',
    ]);
    rmSync(join(temp.app.gitDir, 'longhaul', 'tmp'), { recursive: true, force: true });
    expect((await commitPlan(deps(), made, FLIP, 2)).done).toBe(true);
  });
});
