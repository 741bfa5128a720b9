// All git of the harness goes through here: plumbing by simple-git, hooks and helpers of the repository switched off.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitError, type SimpleGit, simpleGit } from 'simple-git';
import { LonghaulError, messageOf } from '../base/errors.js';
import type { CommitPlan } from '../journal/records.js';

/** Name and e-mail of the commits that the harness makes. */
export interface Identity {
  name: string;
  email: string;
}

/** Used where the repository and the user have no identity of their own. */
const OWN_IDENTITY: Identity = { name: 'Longhaul', email: 'longhaul@localhost' };

/** In a compare-and-swap: the ref must not exist yet. */
const NO_COMMIT = '0'.repeat(40);

/** An entry whose content is a commit of another repository: its files would silently be left out. */
const GITLINK_MODE = '160000';

/** A file that a tree gets instead of, or besides, what is on disk; without content it is taken out. */
export interface TreeFile {
  path: string;
  content: string | Buffer | null;
}

export type TreeResult = { ok: true; tree: string } | { ok: false; nested: string[] };

/** Variables of the host that git may see: where it finds itself, its user's configuration and certificates. */
const GIT_HOST_VARIABLES = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

export class Git {
  readonly root: string;
  readonly #host: Readonly<Record<string, string>>;
  readonly #git: SimpleGit;
  /** Private indexes and the like; inside the git directory, so that no watcher of the app sees them. */
  readonly #scratch: string;

  /** @param host variables of the process's environment; of them only a few are handed on. */
  constructor(root: string, host: Readonly<Record<string, string | undefined>>) {
    this.root = root;
    this.#scratch = join(root, '.git', 'longhaul', 'tmp');
    this.#host = Object.fromEntries(
      GIT_HOST_VARIABLES.flatMap(name => (host[name] === undefined ? [] : [[name, host[name] as string]])),
    );
    this.#git = this.#open({});
  }

  /** Absolute path of the git directory, or null when `root` is not the top of a repository. */
  async gitDir(): Promise<string | null> {
    try {
      const top = (await this.#git.raw('rev-parse', '--show-cdup')).trim();
      return top === '' ? (await this.#git.raw('rev-parse', '--absolute-git-dir')).trim() : null;
    } catch {
      return null;
    }
  }

  async init(branch: string): Promise<void> {
    await this.#run('init', '-q', '-b', branch);
  }

  /** The commit of HEAD, or '' on an unborn branch. */
  async head(): Promise<string> {
    return (await this.#run('rev-parse', '-q', '--verify', 'HEAD^{commit}')).trim();
  }

  /** The commit of any name, or '' when there is none. */
  async resolve(name: string): Promise<string> {
    return (await this.#run('rev-parse', '-q', '--verify', `${name}^{commit}`)).trim();
  }

  /** Short name of the branch that HEAD is on, or null when detached. */
  async branch(): Promise<string | null> {
    return (await this.#run('symbolic-ref', '-q', '--short', 'HEAD')).trim() || null;
  }

  /** The text of a file in a commit or tree, or null when it is not there. */
  async readFile(treeish: string, path: string): Promise<string | null> {
    const blob = (await this.#run('rev-parse', '-q', '--verify', `${treeish}:${path}`)).trim();
    return blob === '' ? null : this.#run('cat-file', 'blob', blob);
  }

  async treeOf(commit: string): Promise<string> {
    return (await this.#run('rev-parse', `${commit}^{tree}`)).trim();
  }

  /** Names in the top folder of a commit, folders with a slash. */
  async topLevel(commit: string): Promise<string[]> {
    const lines = (await this.#run('ls-tree', '-z', commit)).split('\0').filter(line => line !== '');
    return lines.map(line => {
      const [meta = '', name = ''] = line.split('\t');
      return meta.includes(' tree ') ? `${name}/` : name;
    });
  }

  /** Paths of all files below a folder of a commit. */
  async filesIn(commit: string, folder: string): Promise<string[]> {
    const text = await this.#run('ls-tree', '-r', '-z', '--name-only', commit, '--', `${folder}/`);
    return text.split('\0').filter(path => path !== '');
  }

  /** One line a commit, newest first: short id and subject. */
  async log(count: number): Promise<string[]> {
    if ((await this.head()) === '') return [];
    return (await this.#run('log', `--max-count=${count}`, '--format=%h %s'))
      .split('\n')
      .filter(line => line !== '');
  }

  /** Paths that differ from HEAD or are new, without ignored ones. */
  async dirtyFiles(): Promise<string[]> {
    const text = await this.#run('status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames');
    return text.split('\0').flatMap(entry => (entry.length > 3 ? [entry.slice(3)] : []));
  }

  /** How many commits `to` has that `from` has not. */
  async countCommits(from: string, to: string): Promise<number> {
    return Number((await this.#run('rev-list', '--count', `${from}..${to}`)).trim());
  }

  /** Puts what differs from HEAD, new files too, onto git's stash and the work tree back to HEAD. */
  async stash(message: string): Promise<void> {
    await this.#run('stash', 'push', '--quiet', '--include-untracked', '--message', message);
  }

  /** Writes these files as the index has them; those that it does not have are removed from disk. */
  async checkoutFiles(paths: readonly string[]): Promise<void> {
    const known = new Set((await this.#run('ls-files', '-z')).split('\0'));
    for (const path of paths) if (!known.has(path)) rmSync(join(this.root, path), { force: true });
    const kept = paths.filter(path => known.has(path));
    if (kept.length > 0) await this.#run('checkout-index', '--force', '--', ...kept);
  }

  /** Paths that differ between two commits. */
  async changedFiles(from: string, to: string): Promise<string[]> {
    const text = await this.#run('diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to);
    return text.split('\0').filter(path => path !== '');
  }

  /** True also for '' (an unborn branch), above which everything lies. */
  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    if (ancestor === '' || ancestor === commit) return true;
    // `merge-base --is-ancestor` answers by exit code alone; simple-git only sees text.
    return (await this.#run('merge-base', ancestor, commit)).trim() === ancestor;
  }

  /**
   * Writes the work tree, as `git add -A` would take it, into the object store and returns its tree. The repository's own
   * index is neither read nor written, so nothing an agent did to it can hide a file.
   * @param files these take the place of what is on disk.
   */
  async writeTree(files: readonly TreeFile[] = []): Promise<TreeResult> {
    return this.#withPrivateIndex(async git => {
      if ((await this.head()) !== '') await run(git, ['read-tree', 'HEAD']);
      await run(git, ['add', '-A', '.']);
      const entries = (await run(git, ['ls-files', '-s', '-z'])).split('\0');
      const nested = entries
        .filter(entry => entry.startsWith(GITLINK_MODE))
        .map(entry => entry.split('\t')[1] ?? '');
      if (nested.length > 0) return { ok: false, nested };
      await this.#putFiles(git, files);
      return { ok: true, tree: (await run(git, ['write-tree'])).trim() };
    });
  }

  /** `base`'s tree (or an empty one) with some files replaced. */
  async patchTree(base: string, files: readonly TreeFile[]): Promise<string> {
    return this.#withPrivateIndex(async git => {
      if (base !== '') await run(git, ['read-tree', base]);
      await this.#putFiles(git, files);
      return (await run(git, ['write-tree'])).trim();
    });
  }

  /** Writes the files of a tree into a new folder: what is in git, and nothing else. */
  async checkoutTree(tree: string, folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    await this.#withPrivateIndex(async git => {
      await run(git, ['read-tree', tree]);
      await run(git, ['checkout-index', '--all', `--prefix=${folder}/`]);
    });
  }

  /** Makes the commit object of a plan. The same plan gives the same id, as long as the identity stays. */
  async commitTree(plan: CommitPlan): Promise<string> {
    const { name, email } = await this.identity();
    const date = `${Math.floor(plan.dateMs / 1000)} +0000`;
    const git = this.#open({
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    });
    const parents = plan.base === '' ? [] : ['-p', plan.base];
    return (await run(git, ['commit-tree', plan.tree, ...parents, '-m', plan.message])).trim();
  }

  /** Moves a branch from one commit to another if it still is where it was: the commit point. False when it is not. */
  async swapBranch(branch: string, to: string, from: string): Promise<boolean> {
    try {
      await this.#git.raw('update-ref', '-m', 'longhaul', `refs/heads/${branch}`, to, from || NO_COMMIT);
      return true;
    } catch (error) {
      const now = await this.resolve(`refs/heads/${branch}`);
      if (now === to) return true;
      if (now !== from) return false;
      throw gitError(['update-ref'], error);
    }
  }

  async updateRef(ref: string, commit: string): Promise<void> {
    await this.#run('update-ref', ref, commit);
  }

  /** Its commits stay wherever else they are named; HEAD is on an unborn branch then. */
  async deleteBranch(branch: string): Promise<void> {
    await this.#run('update-ref', '-d', `refs/heads/${branch}`);
  }

  async emptyIndex(): Promise<void> {
    await this.#run('read-tree', '--empty');
  }

  /** Points HEAD at a branch, whatever it was at; files and index stay. */
  async attachHead(branch: string): Promise<void> {
    await this.#run('symbolic-ref', 'HEAD', `refs/heads/${branch}`);
  }

  /** Makes the repository's index say what `commit` says; files on disk stay. */
  async resetIndex(commit: string): Promise<void> {
    await this.#run('read-tree', '--reset', commit);
    await this.#run('update-index', '-q', '--refresh');
  }

  /** Puts files and index back to HEAD and removes what is new, ignored files apart. */
  async resetWorkTree(): Promise<void> {
    await this.#run('read-tree', '--reset', '-u', 'HEAD');
    await this.#run('clean', '-ffdq');
  }

  /** The identity of the repository or its user, else the harness's own. */
  async identity(): Promise<Identity> {
    const read = async (key: string) => (await this.#run('config', '--get', key)).trim();
    const [name, email] = [await read('user.name'), await read('user.email')];
    return name !== '' && email !== '' ? { name, email } : OWN_IDENTITY;
  }

  /** Work on an index of our own, which is gone afterwards. */
  async #withPrivateIndex<T>(work: (git: SimpleGit) => Promise<T>): Promise<T> {
    mkdirSync(this.#scratch, { recursive: true });
    const index = join(this.#scratch, 'index');
    rmSync(index, { force: true });
    try {
      return await work(this.#open({ GIT_INDEX_FILE: index }));
    } finally {
      rmSync(index, { force: true });
    }
  }

  async #putFiles(git: SimpleGit, files: readonly TreeFile[]): Promise<void> {
    for (const { path, content } of files) {
      if (content === null) {
        await run(git, ['update-index', '--force-remove', path]);
        continue;
      }
      const temporary = join(this.#scratch, 'blob');
      writeFileSync(temporary, content);
      const blob = (await run(git, ['hash-object', '-w', '--no-filters', temporary])).trim();
      rmSync(temporary);
      await run(git, ['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
    }
  }

  #run(...args: string[]): Promise<string> {
    return run(this.#git, args);
  }

  #open(extra: Record<string, string>): SimpleGit {
    const environment: Record<string, string> = {
      ...this.#host,
      ...extra,
      // Nothing here reads git's sentences, but they end up in logs.
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
    };
    return simpleGit({
      baseDir: this.root,
      maxConcurrentProcesses: 1,
      allowEnvironment: Object.keys(environment).filter(name => name.startsWith('GIT_')),
      // Refused by default, since such a setting can run a program; here it makes sure that none runs.
      unsafe: { allowUnsafeHooksPath: true, allowUnsafeFsMonitor: true },
      config: ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'gc.auto=0', 'core.quotePath=false'],
    }).env(environment);
  }
}

async function run(git: SimpleGit, args: string[]): Promise<string> {
  try {
    return await git.raw(...args);
  } catch (error) {
    throw gitError(args, error);
  }
}

function gitError(args: string[], cause: unknown): Error {
  if (!(cause instanceof GitError)) return cause instanceof Error ? cause : new Error(String(cause));
  return new LonghaulError('git', `git ${args[0]} failed: ${messageOf(cause)}`, { cause });
}
