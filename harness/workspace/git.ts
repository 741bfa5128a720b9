// All git of the harness goes through here, hooks and helpers of the repository switched off: objects are read by one open
// `git cat-file`, plumbing is a process a command, what a person would type goes by simple-git.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { GitError, type SimpleGit, simpleGit } from 'simple-git';
import { LonghaulError, messageOf } from '../base/errors.js';
import type { CommitPlan } from '../journal/records.js';
import { type GitEnd, gitProcess } from './git-process.js';
import { GitTrees, type PlumbOptions, type TreeFile, type TreeResult } from './git-trees.js';
import { ObjectReader } from './object-reader.js';

/** Name and e-mail of the commits that the harness makes. */
export interface Identity {
  name: string;
  email: string;
}

/** Used where the repository and the user have no identity of their own. */
const OWN_IDENTITY: Identity = { name: 'Longhaul', email: 'longhaul@localhost' };

/** In a compare-and-swap: the ref must not exist yet. */
const NO_COMMIT = '0'.repeat(40);

/** Variables of the host that git may see: where it finds itself, its user's configuration and certificates. */
const GIT_HOST_VARIABLES = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/** Over whatever the repository says: no program of its own runs, and names are printed as they are. */
const CONFIG = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'gc.auto=0', 'core.quotePath=false'];

export class Git {
  readonly root: string;
  readonly #host: Readonly<Record<string, string>>;
  readonly #git: SimpleGit;
  readonly #objects: ObjectReader;
  #identity: Promise<Identity> | null = null;
  readonly #trees: GitTrees;

  /** @param host variables of the process's environment; of them only a few are handed on. */
  constructor(root: string, host: Readonly<Record<string, string | undefined>>) {
    this.root = root;
    this.#host = Object.fromEntries(
      GIT_HOST_VARIABLES.flatMap(name => (host[name] === undefined ? [] : [[name, host[name] as string]])),
    );
    this.#git = this.#open();
    this.#trees = new GitTrees(join(root, '.git', 'longhaul', 'tmp'), (args, options) =>
      this.#plumb(args, options),
    );
    this.#objects = new ObjectReader(
      root,
      this.#environment({}),
      CONFIG.flatMap(entry => ['-c', entry]),
    );
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
    return this.resolve('HEAD');
  }

  /** The commit of any name, or '' when there is none. */
  async resolve(name: string): Promise<string> {
    return (await this.#objects.read(`${name}^{commit}`))?.id ?? '';
  }

  /** Short name of the branch that HEAD is on, or null when detached. */
  async branch(): Promise<string | null> {
    return (await this.#ask(['symbolic-ref', '-q', '--short', 'HEAD'])).stdout.trim() || null;
  }

  /** The text of a file in a commit or tree, or null when it is not there. */
  async readFile(treeish: string, path: string): Promise<string | null> {
    const object = await this.#objects.read(`${treeish}:${path}`);
    return object?.type === 'blob' ? object.content.toString('utf8') : null;
  }

  /**
   * What a commit or tree has under a path: 100644 is a file, 100755 one that can be run, 120000 a link; null when there is
   * nothing.
   */
  async modeOf(treeish: string, path: string): Promise<string | null> {
    const [, mode] = /^(\d+) /.exec(await this.#plumb(['ls-tree', '-z', treeish, '--', path])) ?? [];
    return mode ?? null;
  }

  async treeOf(commit: string): Promise<string> {
    const tree = await this.#objects.read(`${commit}^{tree}`);
    if (tree) return tree.id;
    throw new LonghaulError('git', `There is no commit ${commit}.`);
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
    const text = await this.#plumb(['ls-tree', '-r', '-z', '--name-only', commit, '--', `${folder}/`]);
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
    const text = await this.#plumb([
      'status',
      '--porcelain=v1',
      '-z',
      '--untracked-files=all',
      '--no-renames',
    ]);
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
    const known = new Set((await this.#plumb(['ls-files', '-z'])).split('\0'));
    for (const path of paths) if (!known.has(path)) rmSync(join(this.root, path), { force: true });
    const kept = paths.filter(path => known.has(path));
    if (kept.length > 0)
      await this.#plumb(['checkout-index', '--force', '-z', '--stdin'], { input: kept.join('\0') });
  }

  /** Paths that differ between two commits. */
  async changedFiles(from: string, to: string): Promise<string[]> {
    const text = await this.#plumb(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to]);
    return text.split('\0').filter(path => path !== '');
  }

  /** True also for '' (an unborn branch), above which everything lies. */
  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    if (ancestor === '' || ancestor === commit) return true;
    return (await this.#ask(['merge-base', '--is-ancestor', ancestor, commit])).code === 0;
  }

  /** As `GitTrees.writeTree`: the work tree as `git add -A` would take it. */
  async writeTree(files: readonly TreeFile[] = []): Promise<TreeResult> {
    return this.#trees.writeTree((await this.head()) === '' ? null : 'HEAD', files);
  }

  /** `base`'s tree (or an empty one) with some files replaced. */
  patchTree(base: string, files: readonly TreeFile[]): Promise<string> {
    return this.#trees.patchTree(base, files);
  }

  /** Writes the files of a tree into a new folder: what is in git, and nothing else. */
  checkoutTree(tree: string, folder: string): Promise<void> {
    return this.#trees.checkoutTree(tree, folder);
  }

  /** Makes the commit object of a plan. The same plan gives the same id, as long as the identity stays. */
  async commitTree(plan: CommitPlan): Promise<string> {
    const { name, email } = await this.identity();
    const date = `${Math.floor(plan.dateMs / 1000)} +0000`;
    const env = {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    };
    const parents = plan.base === '' ? [] : ['-p', plan.base];
    return (await this.#plumb(['commit-tree', plan.tree, ...parents, '-m', plan.message], { env })).trim();
  }

  /** Moves a branch from one commit to another if it still is where it was: the commit point. False when it is not. */
  async swapBranch(branch: string, to: string, from: string): Promise<boolean> {
    try {
      await this.#plumb(['update-ref', '-m', 'longhaul', `refs/heads/${branch}`, to, from || NO_COMMIT]);
      return true;
    } catch (error) {
      const now = await this.resolve(`refs/heads/${branch}`);
      if (now === to) return true;
      if (now !== from) return false;
      throw error;
    }
  }

  async updateRef(ref: string, commit: string): Promise<void> {
    await this.#plumb(['update-ref', ref, commit]);
  }

  /** Its commits stay wherever else they are named; HEAD is on an unborn branch then. */
  async deleteBranch(branch: string): Promise<void> {
    await this.#plumb(['update-ref', '-d', `refs/heads/${branch}`]);
  }

  async emptyIndex(): Promise<void> {
    await this.#plumb(['read-tree', '--empty']);
  }

  /** Points HEAD at a branch, whatever it was at; files and index stay. */
  async attachHead(branch: string): Promise<void> {
    await this.#plumb(['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  }

  /** Makes the repository's index say what `commit` says; files on disk stay. */
  async resetIndex(commit: string): Promise<void> {
    await this.#plumb(['read-tree', '--reset', commit]);
    // Its exit code says that files differ, which is no failure.
    await this.#ask(['update-index', '-q', '--refresh']);
  }

  /** Puts files and index back to HEAD and removes what is new, ignored files apart. */
  async resetWorkTree(): Promise<void> {
    await this.#plumb(['read-tree', '--reset', '-u', 'HEAD']);
    await this.#plumb(['clean', '-ffdq']);
  }

  /** The identity of the repository or its user, else the harness's own. Read once: it is the same for a whole process. */
  identity(): Promise<Identity> {
    this.#identity ??= this.#readIdentity();
    return this.#identity;
  }

  async #readIdentity(): Promise<Identity> {
    const read = async (key: string) => (await this.#ask(['config', '--get', key])).stdout.trim();
    const [name, email] = [await read('user.name'), await read('user.email')];
    return name !== '' && email !== '' ? { name, email } : OWN_IDENTITY;
  }

  #run(...args: string[]): Promise<string> {
    return run(this.#git, args);
  }

  /** A command that must succeed; what it printed. */
  async #plumb(args: readonly string[], { env = {}, input }: PlumbOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.#ask(args, {
      env,
      ...(input === undefined ? {} : { input }),
    });
    if (code === 0) return stdout;
    throw new LonghaulError('git', `git ${args[0]} failed: ${stderr.trim() || `exit code ${code}`}`);
  }

  /** A command whose exit code is its answer. */
  #ask(args: readonly string[], { env = {}, input }: PlumbOptions = {}): Promise<GitEnd> {
    return gitProcess({
      root: this.root,
      env: this.#environment(env),
      args: [...CONFIG.flatMap(entry => ['-c', entry]), ...args],
      ...(input === undefined ? {} : { input }),
    });
  }

  #environment(extra: Readonly<Record<string, string>>): Record<string, string> {
    return {
      ...this.#host,
      ...extra,
      // Nothing here reads git's sentences, but they end up in logs.
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
    };
  }

  #open(): SimpleGit {
    const environment = this.#environment({});
    return simpleGit({
      baseDir: this.root,
      maxConcurrentProcesses: 1,
      allowEnvironment: Object.keys(environment).filter(name => name.startsWith('GIT_')),
      // Refused by default, since such a setting can run a program; here it makes sure that none runs.
      unsafe: { allowUnsafeHooksPath: true, allowUnsafeFsMonitor: true },
      config: [...CONFIG],
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
