// Keeps head and tail of a program's output in constant memory while it streams; the rest goes to a file, up to a cap.

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { cutHead, cutTail } from './cut-text.js';
import { messageOf } from './errors.js';
import { terminalText } from './terminal-text.js';

/** Characters are UTF-16 units, as in `length`. No character is ever split, whatever the unit. */
export type TextLimit = { characters: number } | { bytes: number };

export interface BoundedOutputOptions {
  /** Of the whole text, the sentence about what is left out included. */
  limit: TextLimit;
  /** Where the raw output goes once it does not fit: a new file, made only then. */
  spill?: { path: string; capBytes?: number };
  /** Raw bytes held at each end; more than `limit` by default, since colours and progress bars shrink to little text. */
  windowBytes?: number;
}

export interface BoundedText {
  /** What a terminal would show, cut in the middle if need be. Valid Unicode, no control characters but tab and line feed. */
  text: string;
  /** Raw bytes that were written. */
  totalBytes: number;
  /** Bytes that `text` lacks; 0 when it fits. */
  omittedBytes: number;
  /** The file with the raw output or its first part, if one was made. */
  spillPath: string | null;
}

const DEFAULT_CAP_BYTES = 4_000_000;
const WINDOW_BYTES = 256 * 1024;
/** A cut moves this far, at most, to fall between two lines. */
const LINE_REACH = 500;
/** The end of an output says more than its beginning. */
const HEAD_SHARE = 0.4;

export class BoundedOutput {
  readonly #limit: TextLimit;
  readonly #window: number;
  readonly #spill: Spill | null;
  readonly #head: ByteQueue;
  readonly #tail: ByteQueue;
  #total = 0;

  constructor({ limit, spill, windowBytes }: BoundedOutputOptions) {
    this.#limit = limit;
    // A character has at most three bytes a UTF-16 unit.
    this.#window = windowBytes ?? Math.max(WINDOW_BYTES, 3 * sizeOf(limit));
    this.#head = new ByteQueue(this.#window);
    this.#tail = new ByteQueue(this.#window);
    this.#spill = spill ? new Spill(spill.path, spill.capBytes ?? DEFAULT_CAP_BYTES) : null;
  }

  write(chunk: Uint8Array): void {
    const fits = this.#fitsInMemory;
    const intoHead = Math.min(chunk.length, this.#window - this.#head.length);
    this.#total += chunk.length;
    if (fits && !this.#fitsInMemory) {
      this.#spill?.write(this.#head.bytes());
      this.#spill?.write(this.#tail.bytes());
    }
    if (!this.#fitsInMemory) this.#spill?.write(chunk);
    this.#head.push(chunk.subarray(0, intoHead));
    this.#tail.push(chunk.subarray(intoHead));
  }

  /** Once, at the end: nothing may be written after it. */
  finish(): BoundedText {
    const dropped = this.#total - this.#head.length - this.#tail.length;
    const whole = Buffer.concat([this.#head.bytes(), this.#tail.bytes()]);
    if (dropped === 0) {
      const text = terminalText(decode(whole));
      if (sizeOf(this.#limit, text) <= sizeOf(this.#limit)) return this.#result(text, 0);
      this.#spill?.write(whole);
      return this.#cut(text, text, 0);
    }
    const head = terminalText(decode(this.#head.bytes()).replace(/\ufffd$/, ''));
    const tail = terminalText(decode(fromCharacterStart(this.#tail.bytes())));
    return this.#cut(head, tail, dropped);
  }

  get #fitsInMemory(): boolean {
    return this.#total <= 2 * this.#window;
  }

  /** `head` and `tail` are the same text when nothing was dropped between them. */
  #cut(head: string, tail: string, dropped: number): BoundedText {
    this.#spill?.close();
    const all = dropped === 0 ? Buffer.byteLength(head) : Buffer.byteLength(head) + Buffer.byteLength(tail);
    // The longest that the sentence can be, so that its final number always fits.
    const room = Math.max(sizeOf(this.#limit) - sizeOf(this.#limit, this.#mark(this.#total + all)), 0);
    const atHead = Math.floor(room * HEAD_SHARE);
    const first = endAtLine(takeHead(head, this.#limit, atHead));
    const last = startAtLine(takeTail(tail, this.#limit, room - atHead));
    const omitted = dropped + all - Buffer.byteLength(first) - Buffer.byteLength(last);
    return this.#result(`${first}${this.#mark(omitted)}${last}`, omitted);
  }

  #result(text: string, omittedBytes: number): BoundedText {
    return { text, totalBytes: this.#total, omittedBytes, spillPath: this.#spill?.written ?? null };
  }

  #mark(omitted: number): string {
    const where = this.#spill ? `; ${this.#spill.describe(this.#total)}` : '';
    return `\n[… ${omitted.toLocaleString('en-US')} bytes left out here${where} …]\n`;
  }
}

/** The last `capacity` bytes that were pushed. */
class ByteQueue {
  readonly #capacity: number;
  #buffer = Buffer.alloc(0);
  #end = 0;
  #start = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#end - this.#start;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  push(chunk: Uint8Array): void {
    const added = chunk.length > this.#capacity ? chunk.subarray(chunk.length - this.#capacity) : chunk;
    if (this.#end + added.length > this.#buffer.length) this.#makeRoom(added.length);
    this.#buffer.set(added, this.#end);
    this.#end += added.length;
    this.#start = Math.max(this.#start, this.#end - this.#capacity);
  }

  /** Twice the capacity at most: so each byte is moved about once. */
  #makeRoom(added: number): void {
    const kept = this.length;
    const wanted = kept + added;
    if (wanted > this.#buffer.length) {
      const larger = Buffer.alloc(Math.min(Math.max(2 * wanted, 4096), 2 * this.#capacity));
      larger.set(this.bytes(), 0);
      this.#buffer = larger;
    } else {
      this.#buffer.copyWithin(0, this.#start, this.#end);
    }
    this.#start = 0;
    this.#end = kept;
  }
}

/** The file for what does not fit. A full disk costs the file, never the result. */
class Spill {
  readonly #path: string;
  readonly #cap: number;
  #file: number | null = null;
  #bytes = 0;
  #failure: string | null = null;

  constructor(path: string, cap: number) {
    this.#path = path;
    this.#cap = cap;
  }

  get written(): string | null {
    return this.#bytes > 0 ? this.#path : null;
  }

  write(chunk: Uint8Array): void {
    const wanted = Math.min(chunk.length, this.#cap - this.#bytes);
    if (wanted <= 0 || this.#failure !== null) return;
    try {
      this.#file ??= this.#open();
      for (let done = 0; done < wanted; ) done += writeSync(this.#file, chunk, done, wanted - done);
      this.#bytes += wanted;
    } catch (error) {
      this.#failure = messageOf(error);
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  describe(total: number): string {
    if (this.#failure !== null) return `the rest could not be saved: ${this.#failure}`;
    if (this.#bytes >= total) return `the whole output is in ${this.#path}`;
    return `the first ${this.#bytes.toLocaleString('en-US')} bytes of the output are in ${this.#path}`;
  }

  /** Exclusively: a link that somebody laid there beforehand is not followed. */
  #open(): number {
    mkdirSync(dirname(this.#path), { recursive: true });
    return openSync(this.#path, 'wx', 0o600);
  }
}

/** A decoder of the platform: invalid bytes become U+FFFD, also half surrogates. A byte order mark stays. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Without the continuation bytes of a character whose beginning was dropped. */
function fromCharacterStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start++;
  return bytes.subarray(start);
}

function sizeOf(limit: TextLimit, text?: string): number {
  if ('bytes' in limit) return text === undefined ? limit.bytes : Buffer.byteLength(text);
  return text === undefined ? limit.characters : text.length;
}

function takeHead(text: string, limit: TextLimit, size: number): string {
  if ('bytes' in limit) return cutHead(text, size);
  return text.slice(0, isLowSurrogate(text.charCodeAt(size)) ? Math.max(size - 1, 0) : size);
}

function takeTail(text: string, limit: TextLimit, size: number): string {
  if ('bytes' in limit) return cutTail(text, size);
  const start = Math.max(text.length - size, 0);
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function endAtLine(text: string): string {
  const end = text.lastIndexOf('\n');
  return end > 0 && text.length - end <= LINE_REACH ? text.slice(0, end) : text;
}

function startAtLine(text: string): string {
  const end = text.indexOf('\n');
  return end >= 0 && end < LINE_REACH && end < text.length - 1 ? text.slice(end + 1) : text;
}
