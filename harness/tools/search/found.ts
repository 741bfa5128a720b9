// What a search found, whoever searched: counts of everything, lines as far as they are wanted.

export interface Query {
  pattern: string;
  ignoreCase: boolean;
  /** Lines before and after each matching one. */
  context: number;
  /** Matching lines that are kept with their text; the others are counted. */
  keep: number;
}

export interface FoundLine {
  number: number;
  text: string;
  /** Index in `text` of the first match; null for a line of context. */
  at: number | null;
}

export interface FoundFile {
  /** As seen from the app. */
  path: string;
  /** Matching lines of the file. */
  matches: number;
  /** Kept lines, in order. */
  lines: FoundLine[];
}

/** Matching lines after which nobody counts on. */
const MOST_MATCHES = 10_000;

export class Found {
  readonly files: FoundFile[] = [];
  matches = 0;
  /** Files that were looked into; less than exact when it was stopped. */
  searched = 0;
  /** Files in which the pattern took too long. */
  readonly slow: string[] = [];
  /** Why not everything was searched. */
  stopped: 'time' | 'many' | null = null;
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /** Matching lines that are still wanted with their text. */
  get wanted(): number {
    return Math.max(this.#query.keep - this.matches, 0);
  }

  /** Takes a file's matching lines, with their context, in order. False: enough, stop. */
  add(path: string, lines: readonly FoundLine[]): boolean {
    const matches = lines.filter(({ at }) => at !== null).length;
    if (matches > 0) this.files.push({ path, matches, lines: this.#kept(lines) });
    this.matches += matches;
    if (this.matches < MOST_MATCHES) return true;
    this.stopped = 'many';
    return false;
  }

  #kept(lines: readonly FoundLine[]): FoundLine[] {
    const last = lines.filter(({ at }) => at !== null)[this.wanted - 1]?.number;
    if (last === undefined) return this.wanted > 0 ? [...lines] : [];
    return lines.filter(
      ({ number, at }) => number <= last || (at === null && number <= last + this.#query.context),
    );
  }
}
