// Searches with ripgrep. It only matches: which files it reads is decided by us, the same ones as without it.

import { type ChildProcess, spawn } from 'node:child_process';
import { firstOf } from '../../base/deadline.js';
import { LonghaulError } from '../../base/errors.js';
import type { Room } from '../../workspace/room.js';
import { Found, type FoundLine, type Query } from './found.js';
import type { Pace } from './pace.js';

export interface RipgrepOptions {
  /** Absolute path of the program. */
  rg: string;
  /** Absolute path of the app; files are relative to it. */
  root: string;
  /** Where it runs; without one it runs as a plain child. */
  room?: Room | undefined;
  pace: Pace;
}

/** Nothing of these depends on the app, its files or a configuration of somebody's. */
const FLAGS = [
  '--no-config',
  '--json',
  '--no-ignore',
  '--hidden',
  '--crlf',
  '--no-mmap',
  '--no-messages',
  '--threads=1',
];
/** Bytes of file names for one process; systems allow some ten times as much. */
const NAMES_BYTES = 100_000;

/** Null when it cannot be started or does not take the pattern: then it was as if it were not there. */
export async function searchWithRipgrep(
  query: Query,
  files: readonly string[],
  options: RipgrepOptions,
): Promise<Found | null> {
  const found = new Found(query);
  for (const batch of batches(files)) {
    const ended = await runOnce(query, batch, found, options);
    if (ended === 'unfit') return null;
    if (ended === 'stopped') return found;
    found.searched += batch.length;
  }
  return found;
}

async function runOnce(
  query: Query,
  files: readonly string[],
  found: Found,
  { rg, root, room, pace }: RipgrepOptions,
): Promise<'ended' | 'stopped' | 'unfit'> {
  const argv = [
    rg,
    ...FLAGS,
    ...(query.ignoreCase ? ['--ignore-case'] : []),
    `--context=${query.context}`,
    '--',
    query.pattern,
    // A file named - would be standard input.
    ...files.map(file => `./${file}`),
  ] as const;
  const started = start(argv, root, room);
  if (!started) return 'unfit';
  const reader = new JsonReader(found);
  const output = readLines(started.child, line => reader.take(line));
  const first = await firstOf(output, { ms: pace.leftMs, clock: pace.clock, signal: pace.signal });
  await started.end();
  if (first !== 'ended') found.stopped = 'time';
  if (found.stopped) return 'stopped';
  return reader.complete ? 'ended' : 'unfit';
}

interface Started {
  child: ChildProcess;
  /** Ends it, if it has not ended by itself. */
  end(): Promise<void>;
}

function start(argv: readonly [string, ...string[]], cwd: string, room: Room | undefined): Started | null {
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
  if (room) {
    try {
      const { child, kill } = room.start({ argv, cwd }, stdio);
      return { child, end: kill };
    } catch (error) {
      if (error instanceof LonghaulError && error.code === 'process') return null;
      throw error;
    }
  }
  const [program, ...args] = argv;
  const child = spawn(program, args, { cwd, env: {}, stdio });
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()));
  // Without a listener a failed start would end the harness; the missing pid tells of it.
  child.on('error', () => {});
  if (child.pid === undefined) return null;
  return {
    child,
    end: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Calls `take` with each line of the output until it says no. */
async function readLines({ stdout }: ChildProcess, take: (line: string) => boolean): Promise<void> {
  if (!stdout) return;
  let rest: Buffer[] = [];
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8');
      rest = [];
      from = end + 1;
      if (!take(line)) return;
    }
    rest.push(chunk.subarray(from));
  }
}

/** A text of ripgrep's messages: bytes when it is not UTF-8. */
type Text = { text: string } | { bytes: string };

type RipgrepMessage =
  | { type: 'begin' | 'summary' }
  | { type: 'match'; data: { lines: Text; line_number: number; submatches: { start: number }[] } }
  | { type: 'context'; data: { lines: Text; line_number: number } }
  | { type: 'end'; data: { path: Text; binary_offset: number | null } };

class JsonReader {
  /** It came to its end: without a valid pattern it says nothing at all. */
  complete = false;
  #lines: FoundLine[] = [];

  constructor(readonly found: Found) {}

  /** False: read no further. */
  take(line: string): boolean {
    const message = readMessage(line);
    switch (message?.type) {
      case undefined:
        return false;
      case 'match': {
        const { lines, line_number: number, submatches } = message.data;
        this.#lines.push({ number, ...lineOf(lines, submatches[0]?.start ?? 0) });
        return true;
      }
      case 'context':
        this.#lines.push({ number: message.data.line_number, ...lineOf(message.data.lines, 0), at: null });
        return true;
      case 'end': {
        const lines = this.#lines;
        this.#lines = [];
        const isText = message.data.binary_offset === null;
        return !isText || this.found.add(bytesOf(message.data.path).toString('utf8').slice(2), lines);
      }
      case 'summary':
        this.complete = true;
        return true;
      default:
        return true;
    }
  }
}

/** Undefined for what no ripgrep says: some other program has its name. */
function readMessage(line: string): RipgrepMessage | undefined {
  try {
    return JSON.parse(line) as RipgrepMessage;
  } catch {
    return undefined;
  }
}

/** A line without its end, and the index of the character at a byte of it. */
function lineOf(line: Text, byte: number): { text: string; at: number } {
  const encoding = 'text' in line ? 'utf8' : 'latin1';
  const bytes = bytesOf(line);
  const text = bytes.toString(encoding).replace(/\r?\n$/, '');
  return { text, at: bytes.toString(encoding, 0, byte).length };
}

function bytesOf(text: Text): Buffer {
  return 'text' in text ? Buffer.from(text.text) : Buffer.from(text.bytes, 'base64');
}

function* batches(files: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const file of files) {
    bytes += Buffer.byteLength(file) + 16;
    if (bytes > NAMES_BYTES && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
  }
  if (batch.length > 0) yield batch;
}
