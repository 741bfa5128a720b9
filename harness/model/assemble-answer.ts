// Puts an answer together from the raw events of its stream, and vouches for it: nothing half arrived is passed on.

import { isRecord } from './is-record.js';
import type { Answer, Usage } from './model.js';
import { completeUsage, mergeUsage } from './usage.js';

/** The stream did not hold an answer that can be trusted. */
export class BrokenAnswer extends Error {}

/**
 * The only key of an input that came whole and is no JSON object; its value is what came. Nothing may run from it, and
 * the model must be told: asking again would cost the same and may bring the same.
 */
export const INVALID_JSON = 'INVALID_JSON';

/** Answers that end like this were cut by the API itself; their last block may be unfinished. */
const CUT_BY_THE_API: ReadonlySet<string> = new Set([
  'max_tokens',
  'model_context_window_exceeded',
  'refusal',
]);

interface Block {
  value: Record<string, unknown>;
  /** Pieces of a tool's input, not parsed before the block is whole. */
  json: string;
  closed: boolean;
}

export class AnswerAssembly {
  /** `message_start` came: the API works on this answer and bills it. */
  get started(): boolean {
    return this.#message !== undefined;
  }
  /** `message_stop` came: whatever follows is not part of the answer. */
  get ended(): boolean {
    return this.#ended;
  }
  /** The last report of each field; undefined before the first. */
  get usage(): Partial<Usage> | undefined {
    return this.#usage;
  }
  /** UTF-8 bytes of text, thinking and tool input so far. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  #message: Record<string, unknown> | undefined;
  #ended = false;
  #usage: Partial<Usage> | undefined;
  #receivedBytes = 0;
  readonly #blocks: Block[] = [];
  readonly #ending: Record<string, unknown> = {};

  readonly #handlers = new Map<unknown, (event: Record<string, unknown>) => void>([
    ['message_start', event => this.#begin(event)],
    ['content_block_start', event => this.#openBlock(event)],
    ['content_block_delta', event => this.#extendBlock(event)],
    ['content_block_stop', event => this.#closeBlock(event)],
    ['message_delta', event => this.#noteEnding(event)],
    ['message_stop', () => this.#end()],
  ]);

  /** Takes one parsed event. Unknown events and deltas are ignored; known ones in the wrong place are `BrokenAnswer`. */
  push(event: unknown): void {
    if (this.#ended || !isRecord(event)) return;
    this.#handlers.get(event.type)?.(event);
  }

  /** The whole answer, or `BrokenAnswer` with what is missing. */
  finish(): Answer {
    if (!this.#message) throw new BrokenAnswer('the stream ended before the answer began');
    if (!this.#ended) throw new BrokenAnswer('the stream ended in the middle of the answer');
    const stopReason = this.#ending.stop_reason;
    if (typeof stopReason !== 'string') throw new BrokenAnswer('the answer ended without a stop reason');
    const cut = CUT_BY_THE_API.has(stopReason);
    const content = this.#blocks.map((block, at) =>
      finishBlock(block, cut && at === this.#blocks.length - 1),
    );
    refuseTwins(content);
    return {
      container: null,
      diagnostics: null,
      stop_details: null,
      stop_sequence: null,
      ...this.#message,
      ...this.#ending,
      type: 'message',
      role: 'assistant',
      content,
      usage: completeUsage(this.#usage),
    } as unknown as Answer;
  }

  #begin(event: Record<string, unknown>): void {
    if (this.#message) throw new BrokenAnswer('a second answer began inside the first');
    if (!isRecord(event.message)) throw new BrokenAnswer('the answer began without a message');
    this.#message = event.message;
    this.#usage = mergeUsage(this.#usage, event.message.usage);
  }

  #openBlock(event: Record<string, unknown>): void {
    this.#mustHaveBegun();
    if (event.index !== this.#blocks.length) {
      throw new BrokenAnswer(`block ${event.index} began where block ${this.#blocks.length} was due`);
    }
    const value = event.content_block;
    if (!isRecord(value) || typeof value.type !== 'string') throw new BrokenAnswer('a block has no type');
    this.#receivedBytes += Buffer.byteLength(JSON.stringify(value));
    this.#blocks.push({ value: { ...value }, json: '', closed: false });
  }

  #extendBlock(event: Record<string, unknown>): void {
    const block = this.#openBlockAt(event.index);
    if (!isRecord(event.delta)) throw new BrokenAnswer('a piece of a block is empty');
    const { type } = event.delta;
    if (type === 'citations_delta') {
      addCitation(block, event.delta.citation);
      return;
    }
    const field = DELTA_FIELDS.get(String(type));
    if (!field) return;
    const piece = event.delta[field.from];
    if (typeof piece !== 'string') throw new BrokenAnswer(`a ${type} holds no text`);
    if (!field.blocks.test(String(block.value.type))) {
      throw new BrokenAnswer(`a ${type} came for a block of type ${block.value.type}`);
    }
    this.#receivedBytes += Buffer.byteLength(piece);
    field.add(block, piece);
  }

  #closeBlock(event: Record<string, unknown>): void {
    this.#openBlockAt(event.index).closed = true;
  }

  #noteEnding(event: Record<string, unknown>): void {
    this.#mustHaveBegun();
    this.#usage = mergeUsage(this.#usage, event.usage);
    for (const [field, value] of Object.entries(isRecord(event.delta) ? event.delta : {})) {
      if (value !== null) this.#ending[field] = value;
    }
  }

  #end(): void {
    this.#mustHaveBegun();
    this.#ended = true;
  }

  #mustHaveBegun(): void {
    if (!this.#message) throw new BrokenAnswer('the stream holds a piece of an answer that never began');
  }

  #openBlockAt(index: unknown): Block {
    const block = this.#blocks[typeof index === 'number' ? index : -1];
    if (!block) throw new BrokenAnswer(`block ${index} goes on but never began`);
    if (block.closed) throw new BrokenAnswer(`block ${index} goes on after its end`);
    return block;
  }
}

interface DeltaField {
  from: string;
  blocks: RegExp;
  add(block: Block, piece: string): void;
}

/** Which string each kind of delta carries, and where it goes. */
const DELTA_FIELDS: ReadonlyMap<string, DeltaField> = new Map<string, DeltaField>([
  ['text_delta', { from: 'text', blocks: /^text$/, add: (block, piece) => append(block, 'text', piece) }],
  [
    'thinking_delta',
    { from: 'thinking', blocks: /^thinking$/, add: (block, piece) => append(block, 'thinking', piece) },
  ],
  [
    'signature_delta',
    {
      from: 'signature',
      blocks: /^thinking$/,
      add: (block, piece) => {
        block.value.signature = piece;
      },
    },
  ],
  [
    'input_json_delta',
    {
      from: 'partial_json',
      blocks: /tool_use$/,
      add: (block, piece) => {
        block.json += piece;
      },
    },
  ],
]);

function append(block: Block, field: string, piece: string): void {
  const before = block.value[field];
  block.value[field] = (typeof before === 'string' ? before : '') + piece;
}

function addCitation(block: Block, citation: unknown): void {
  if (block.value.type !== 'text') throw new BrokenAnswer('a citation came for a block that is no text');
  const before = block.value.citations;
  block.value.citations = [...(Array.isArray(before) ? before : []), citation];
}

/** `mayBeCut`: the API stopped inside this block, so an input that cannot be read is no fault; nothing may run from it. */
function finishBlock({ value, json, closed }: Block, mayBeCut: boolean): Record<string, unknown> {
  if (!closed && !mayBeCut) throw new BrokenAnswer(`a block of type ${value.type} has no end`);
  if (!String(value.type).endsWith('tool_use')) return value;
  if (value.type === 'tool_use' && !(isName(value.id) && isName(value.name))) {
    throw new BrokenAnswer('a tool call has no id or no name');
  }
  return { ...value, input: parseInput(value, json, mayBeCut) };
}

/** A call without arguments streams no JSON at all. */
function parseInput(value: Record<string, unknown>, json: string, mayBeCut: boolean): unknown {
  if (json.trim() === '') return isRecord(value.input) ? value.input : {};
  try {
    const input: unknown = JSON.parse(json);
    if (isRecord(input)) return input;
  } catch {
    // Below, with the other inputs that are no object.
  }
  if (mayBeCut) return {};
  return { [INVALID_JSON]: json };
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Two calls under one id cannot both be answered. */
function refuseTwins(content: Record<string, unknown>[]): void {
  const ids = content.filter(block => block.type === 'tool_use').map(block => block.id);
  if (new Set(ids).size < ids.length) throw new BrokenAnswer('two tool calls have the same id');
}
