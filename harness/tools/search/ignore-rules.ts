// What .gitignore files leave out. Read by us: git itself would run what the app's own configuration names.

import { globTest, type PathTest } from './glob.js';

interface Rule {
  test: PathTest;
  foldersOnly: boolean;
  /** `!pattern`: takes back what an earlier one left out. */
  negated: boolean;
}

export class IgnoreRules {
  readonly #above: IgnoreRules | null;
  /** How many names of a path lead to the folder of this file. */
  readonly #depth: number;
  readonly #rules: readonly Rule[];

  constructor(above: IgnoreRules | null, folder: readonly string[], text: string) {
    this.#above = above;
    this.#depth = folder.length;
    this.#rules = text.split(/\r?\n/).flatMap(readRule);
  }

  /** The last rule that fits decides; those of a deeper folder come later. Folders above are the caller's business. */
  ignores(path: readonly string[], isFolder: boolean): boolean {
    const names = path.slice(this.#depth);
    const rule = this.#rules.findLast(({ test, foldersOnly }) => (isFolder || !foldersOnly) && test(names));
    if (rule) return !rule.negated;
    return this.#above?.ignores(path, isFolder) ?? false;
  }
}

function readRule(line: string): Rule[] {
  const pattern = line.replace(/(?<!\\)[ \t]+$/, '');
  if (pattern === '' || pattern.startsWith('#')) return [];
  const negated = pattern.startsWith('!');
  const body = negated ? pattern.slice(1) : pattern;
  return [{ test: globTest(body), foldersOnly: body.endsWith('/'), negated }];
}
