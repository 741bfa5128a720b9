// Trees without the repository's own index: from the work tree, from another tree, into a folder.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry whose content is a commit of another repository: its files would silently be left out. */
const GITLINK_MODE = '160000';

/** A file that a tree gets instead of, or besides, what is on disk; without content it is taken out. */
export interface TreeFile {
  path: string;
  content: string | Buffer | null;
  executable?: boolean;
}

export type TreeResult = { ok: true; tree: string } | { ok: false; nested: string[] };

export interface PlumbOptions {
  /** Variables over those of every command. */
  env?: Readonly<Record<string, string>>;
  input?: string;
}

/** Runs a git command that must succeed and resolves with what it printed. */
export type Plumb = (args: readonly string[], options?: PlumbOptions) => Promise<string>;

type OnIndex = (...args: string[]) => Promise<string>;

export class GitTrees {
  readonly #scratch: string;
  readonly #plumb: Plumb;

  /** @param scratch for private indexes; inside the git directory, so that no watcher of the app sees them. */
  constructor(scratch: string, plumb: Plumb) {
    this.#scratch = scratch;
    this.#plumb = plumb;
  }

  /**
   * Writes the work tree, as `git add -A` would take it, into the object store and returns its tree. The repository's own
   * index is neither read nor written, so nothing an agent did to it can hide a file.
   * @param base what the work tree was checked out from; null on an unborn branch.
   * @param files these take the place of what is on disk.
   */
  writeTree(base: string | null, files: readonly TreeFile[]): Promise<TreeResult> {
    return this.#withPrivateIndex(async git => {
      if (base !== null) await git('read-tree', base);
      await git('add', '-A', '.');
      const entries = (await git('ls-files', '-s', '-z')).split('\0');
      const nested = entries
        .filter(entry => entry.startsWith(GITLINK_MODE))
        .map(entry => entry.split('\t')[1] ?? '');
      if (nested.length > 0) return { ok: false, nested };
      await this.#putFiles(git, files);
      return { ok: true, tree: (await git('write-tree')).trim() };
    });
  }

  /** `base`'s tree (or an empty one) with some files replaced. */
  patchTree(base: string, files: readonly TreeFile[]): Promise<string> {
    return this.#withPrivateIndex(async git => {
      if (base !== '') await git('read-tree', base);
      await this.#putFiles(git, files);
      return (await git('write-tree')).trim();
    });
  }

  /** Writes the files of a tree into a new folder: what is in git, and nothing else. */
  async checkoutTree(tree: string, folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    await this.#withPrivateIndex(async git => {
      await git('read-tree', tree);
      await git('checkout-index', '--all', `--prefix=${folder}/`);
    });
  }

  /** Work on an index of our own, which is gone afterwards. */
  async #withPrivateIndex<T>(work: (git: OnIndex) => Promise<T>): Promise<T> {
    mkdirSync(this.#scratch, { recursive: true });
    const index = join(this.#scratch, 'index');
    rmSync(index, { force: true });
    try {
      return await work((...args) => this.#plumb(args, { env: { GIT_INDEX_FILE: index } }));
    } finally {
      rmSync(index, { force: true });
    }
  }

  async #putFiles(git: OnIndex, files: readonly TreeFile[]): Promise<void> {
    const gone = files.flatMap(({ path, content }) => (content === null ? [path] : []));
    const written = files.flatMap(({ content, ...rest }) => (content === null ? [] : [{ ...rest, content }]));
    if (gone.length > 0) await git('update-index', '--force-remove', '--', ...gone);
    if (written.length === 0) return;
    const folder = join(this.#scratch, 'blobs');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    const temporary = written.map(({ content }, index) => {
      const file = join(folder, String(index));
      writeFileSync(file, content);
      return file;
    });
    const blobs = (await git('hash-object', '-w', '--no-filters', '--', ...temporary)).trim().split('\n');
    rmSync(folder, { recursive: true });
    const entries = written.flatMap(({ path, executable }, index) => [
      '--cacheinfo',
      `${executable ? '100755' : '100644'},${blobs[index]},${path}`,
    ]);
    // A folder that somebody committed under the name of a file of ours makes way.
    await git('update-index', '--add', '--replace', ...entries);
  }
}
