// Recorded streams cut, split and damaged: read by the SDK's own decoder and put together as in a run, without a network.

import { Stream } from '@anthropic-ai/sdk/core/streaming';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerAssembly, INVALID_JSON } from '../../harness/model/assemble-answer.js';
import { type Answer, ModelError } from '../../harness/model/model.js';
import { watchedResponse } from '../../harness/model/watched-response.js';
import { caseText } from '../support/cases.js';
import { modelAt, never, REQUEST } from '../support/model-calls.js';
import { rawApi, sse } from '../support/raw-api.js';

const WHOLE = [
  'FC-000-ok-end-turn.sse',
  'FC-000-ok-tool-use.sse',
  'FC-008-ping-long.sse',
  'FC-010-max-tokens-in-tool.sse',
  'FC-011-two-tools-second-cut.sse',
  'FC-013-refusal.sse',
  'FC-014-pause-turn.sse',
  'FC-017-thinking-tool.sse',
  'FC-020-noarg-tool.sse',
  'FC-112-cache-usage.sse',
  'FC-113-two-deltas-cumulative.sse',
  'FC-119-same-call-forever.sse',
];
const BROKEN = [
  'FC-001-cut-mid-json.sse',
  'FC-002-error-event-midstream.sse',
  'FC-007-silent-stall.sse',
  'FC-118-cut-after-costly-start.sse',
];

/** As it goes over the wire, with some characters of several bytes in its words. */
const bytesOf = (name: string) =>
  Buffer.from(
    caseText(name)
      .replace(/^: @.*\n?/gm, '')
      .replace(/(?<=_delta","text":")/g, 'Größe 🦀 '),
  );

/** The answer, or why there is none. */
async function read(chunks: readonly Uint8Array[]): Promise<Answer | Error> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const response = watchedResponse(new Response(body), { onBytes: () => {}, maxBytes: 2 ** 20 });
  const assembly = new AnswerAssembly();
  try {
    const events = Stream.fromSSEResponse(response, new AbortController(), { logLevel: 'off' } as never);
    for await (const event of events) {
      assembly.push(event);
      if (assembly.ended) break;
    }
    return assembly.finish();
  } catch (error) {
    return error as Error;
  }
}

const isAnswer = (result: Answer | Error): result is Answer => !(result instanceof Error);

describe('a recorded stream', () => {
  it.each(WHOLE)('is no answer wherever it is cut: %s', async name => {
    const bytes = bytesOf(name);
    for (let length = 0; length < bytes.length; length++) {
      expect(await read([bytes.subarray(0, length)]), `${length} bytes`).toBeInstanceOf(Error);
    }
    expect(await read([bytes])).toHaveProperty('stop_reason');
  });

  it.each(BROKEN)('that is broken is no answer, however much of it came: %s', async name => {
    const bytes = bytesOf(name);
    for (let length = 0; length <= bytes.length; length += 3) {
      expect(await read([bytes.subarray(0, length)])).toBeInstanceOf(Error);
    }
  });

  it.each(WHOLE)('is the same answer wherever its bytes are parted: %s', async name => {
    const bytes = bytesOf(name);
    const whole = await read([bytes]);
    expect(isAnswer(whole)).toBe(true);
    for (let at = 0; at < bytes.length; at += 11) {
      expect(await read([bytes.subarray(0, at), bytes.subarray(at)]), `at ${at}`).toEqual(whole);
    }
    expect(await read([...bytes].map(byte => Buffer.from([byte])))).toEqual(whole);
  });
});

/** What damage does to a body; places are shares of its length. */
const edit = fc.record({
  how: fc.constantFrom(
    'drop',
    'double',
    'replace',
    'insert',
    'other',
    'cut',
    'drop line',
    'double line',
    'swap lines',
  ),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 200 }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 12 }),
  other: fc.constantFrom(...WHOLE, ...BROKEN),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

function damaged(body: Buffer, { how, at, length, bytes, other }: Edit): Buffer {
  const from = Math.floor(at * body.length);
  const [head, part, tail] = [
    body.subarray(0, from),
    body.subarray(from, from + length),
    body.subarray(from + length),
  ];
  const lines = body.toString('latin1').split('\n');
  const line = Math.floor(at * lines.length);
  const next = Math.min(line + (length % 7) + 1, lines.length - 1);
  const joined = () => Buffer.from(lines.join('\n'), 'latin1');
  switch (how) {
    case 'drop':
      return Buffer.concat([head, tail]);
    case 'double':
      return Buffer.concat([head, part, part, tail]);
    case 'replace':
      return Buffer.concat([head, bytes, body.subarray(from + bytes.length)]);
    case 'insert':
      return Buffer.concat([head, bytes, part, tail]);
    case 'other':
      return Buffer.concat([head, bytesOf(other).subarray(from % 700)]);
    case 'cut':
      return head;
    case 'drop line':
      lines.splice(line, 1);
      return joined();
    case 'double line':
      lines.splice(line, 0, lines[line] ?? '');
      return joined();
    default:
      [lines[line], lines[next]] = [lines[next] ?? '', lines[line] ?? ''];
      return joined();
  }
}

const damagedBody = fc
  .tuple(fc.constantFrom(...WHOLE, ...BROKEN), fc.array(edit, { minLength: 1, maxLength: 4 }))
  .map(([name, edits]) => edits.reduce(damaged, bytesOf(name)));

describe('a damaged stream', () => {
  it('is an answer that can be acted on, or none', async () => {
    let answers = 0;
    await fc.assert(
      fc.asyncProperty(damagedBody, async body => {
        const result = await read([body]);
        if (!isAnswer(result)) return;
        answers++;
        expect(body.toString('latin1')).toContain('message_stop');
        expect(typeof result.stop_reason).toBe('string');
        const calls = result.content.filter(block => block.type === 'tool_use');
        expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
        for (const { id, name, input } of calls) {
          expect([typeof id, typeof name, typeof input]).toEqual(['string', 'string', 'object']);
          if (input && Object.hasOwn(input, INVALID_JSON)) continue;
          expect(input === null || Array.isArray(input) || id === '' || name === '').toBe(false);
        }
        if (calls.length > 0 && result.stop_reason === 'tool_use') expectWhole(body, calls.at(-1)?.input);
      }),
      { numRuns: 3_000 },
    );
    // The damage is not so great that nothing else is looked at.
    expect(answers).toBeGreaterThan(100);
  });

  it('over HTTP is an answer or an error of the model, and nothing else happens', async () => {
    const bodies = fc.sample(damagedBody, { numRuns: 150, seed: 4 });
    const api = await rawApi((response, request) => {
      const body = bodies[api.bodies.length - 1] ?? Buffer.alloc(0);
      sse(body, api.bodies.length % 2 === 0 ? 'close' : 'reset')(response, request);
    });
    const model = modelAt(api.url);
    for (const _ of bodies) {
      const result = await model.send(REQUEST, never).catch((error: unknown) => error);
      expect(result instanceof ModelError || isAnswer(result as Answer)).toBe(true);
    }
    expect(api.bodies).toHaveLength(bodies.length);
  });
});

/** Every word of an input came over the wire: nothing was made up to close a brace. */
function expectWhole(body: Buffer, input: unknown): void {
  const pieces = [...body.toString('utf8').matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)];
  const sent = pieces.map(([, json]) => parsed(json ?? '')).join('');
  for (const [name, value] of Object.entries(input as object)) {
    if (name !== INVALID_JSON && typeof value === 'string')
      expect(sent).toContain(JSON.stringify(value).slice(1, -1));
  }
}

function parsed(json: string): string {
  try {
    return JSON.parse(json);
  } catch {
    return '';
  }
}
