// Finds the mark that ends a command's output in a stream of chunks, also where two chunks share it.

export interface SplitChunk {
  /** Surely not part of the mark. */
  before: Buffer;
  found: boolean;
  /** What follows the mark; empty until it is found. */
  after: Buffer;
}

const NOTHING = Buffer.alloc(0);

export class MarkSplitter {
  readonly #mark: Buffer;
  #held: Buffer = NOTHING;

  constructor(mark: string) {
    this.#mark = Buffer.from(mark);
  }

  push(chunk: Buffer): SplitChunk {
    const joined = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    const at = joined.indexOf(this.#mark);
    if (at >= 0) {
      this.#held = NOTHING;
      return { before: joined.subarray(0, at), found: true, after: joined.subarray(at + this.#mark.length) };
    }
    const sure = Math.max(joined.length - this.#mark.length + 1, 0);
    this.#held = Buffer.from(joined.subarray(sure));
    return { before: joined.subarray(0, sure), found: false, after: NOTHING };
  }

  /** What was held back as a possible beginning of the mark, when there will be no mark. */
  rest(): Buffer {
    const held = this.#held;
    this.#held = NOTHING;
    return held;
  }
}
