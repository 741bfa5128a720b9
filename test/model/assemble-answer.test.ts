import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerAssembly, BrokenAnswer } from '../../harness/model/assemble-answer.js';
import { caseText } from '../support/cases.js';

/** The events of a recorded stream. */
function recorded(name: string): unknown[] {
  return [...caseText(name).matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? ''));
}

/** The answer, or what is wrong with it. Anything but `BrokenAnswer` is thrown on. */
function assemble(events: unknown[]) {
  const assembly = new AnswerAssembly();
  try {
    for (const event of events) assembly.push(event);
    return assembly.finish();
  } catch (error) {
    if (error instanceof BrokenAnswer) return error;
    throw error;
  }
}

const indexes = fc.oneof(fc.integer({ min: -1, max: 3 }), fc.constantFrom(null, '0', 1e9, Number.NaN));
const pieces = fc.oneof(fc.json(), fc.string(), fc.constantFrom(null, 3, '{"a":', '\ud800', '__proto__'));
const types = fc.constantFrom(
  'text',
  'tool_use',
  'thinking',
  'server_tool_use',
  'new_block',
  null,
  '__proto__',
);
const deltas = fc.constantFrom(
  'text_delta',
  'input_json_delta',
  'thinking_delta',
  'signature_delta',
  'citations_delta',
  'new_delta',
  'constructor',
);
const usages = fc.oneof(
  fc.constantFrom(null, undefined, 'x', []),
  fc.record({ input_tokens: fc.anything(), output_tokens: fc.anything(), cache_creation: fc.anything() }),
);
const wildEvent = fc.oneof(
  fc.anything(),
  fc.record({
    type: fc.constant('message_start'),
    message: fc.oneof(fc.anything(), fc.record({ usage: usages })),
  }),
  fc.record({
    type: fc.constant('content_block_start'),
    index: indexes,
    content_block: fc.oneof(
      fc.anything(),
      fc.record({ type: types, id: pieces, name: pieces, input: fc.anything() }),
    ),
  }),
  fc.record({
    type: fc.constant('content_block_delta'),
    index: indexes,
    delta: fc.oneof(
      fc.anything(),
      fc.record({ type: deltas, text: pieces, partial_json: pieces, thinking: pieces }),
    ),
  }),
  fc.record({ type: fc.constant('content_block_stop'), index: indexes }),
  fc.record({
    type: fc.constant('message_delta'),
    delta: fc.record({ stop_reason: fc.constantFrom('end_turn', 'tool_use', 'max_tokens', null, 7) }),
    usage: usages,
  }),
  fc.record({ type: fc.constantFrom('message_stop', 'ping', 'error', 'toString', '__proto__') }),
);

describe('AnswerAssembly', () => {
  it('makes an answer or a BrokenAnswer of any events in any order', () => {
    fc.assert(
      fc.property(fc.array(wildEvent, { maxLength: 20 }), events => {
        const result = assemble(events);
        if (result instanceof BrokenAnswer) return;
        expect(typeof result.stop_reason).toBe('string');
        expect(Number.isFinite(result.usage.input_tokens + result.usage.output_tokens)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['FC-000-ok-tool-use.sse', 'FC-017-thinking-tool.sse', 'FC-113-two-deltas-cumulative.sse'])(
    'takes nothing but the whole of a recorded answer: %s',
    name => {
      const whole = recorded(name);
      expect(assemble(whole)).not.toBeInstanceOf(BrokenAnswer);
      for (let count = 0; count < whole.length; count++) {
        expect(assemble(whole.slice(0, count))).toBeInstanceOf(BrokenAnswer);
      }
    },
  );

  it('ignores what comes after the end', () => {
    const whole = recorded('FC-000-ok-end-turn.sse');
    expect(assemble([...whole, ...whole])).toEqual(assemble(whole));
  });

  it('counts the bytes of text, thinking and tool input as UTF-8', () => {
    const assembly = new AnswerAssembly();
    assembly.push({ type: 'message_start', message: {} });
    assembly.push({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    const before = assembly.receivedBytes;
    assembly.push({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'größer 🙂' },
    });
    expect(assembly.receivedBytes - before).toBe(Buffer.byteLength('größer 🙂'));
  });

  it('uses an input that came whole with the start of its block', () => {
    const whole = recorded('FC-020-noarg-tool.sse');
    const started = whole.map(event => {
      const text = JSON.stringify(event);
      return JSON.parse(text.replace('"input":{}', '"input":{"all":true}'));
    });
    expect(assemble(started)).toMatchObject({ content: [{ input: { all: true } }] });
  });

  it.each(['max_tokens', 'model_context_window_exceeded', 'refusal'])(
    'forgives a cut last block in an answer that ended by %s, and no other block',
    reason => {
      const cut = (index: number) => [
        {
          type: 'content_block_start',
          index,
          content_block: { type: 'tool_use', id: `t${index}`, name: 'bash', input: {} },
        },
        {
          type: 'content_block_delta',
          index,
          delta: { type: 'input_json_delta', partial_json: '{"command":"rm' },
        },
      ];
      const stop = (index: number) => ({ type: 'content_block_stop', index });
      const end = [{ type: 'message_delta', delta: { stop_reason: reason } }, { type: 'message_stop' }];
      const start = { type: 'message_start', message: { usage: {} } };
      expect(assemble([start, ...cut(0), ...end])).toMatchObject({ content: [{ input: {} }] });
      expect(assemble([start, ...cut(0), stop(0), ...cut(1), stop(1), ...end])).toMatchObject({
        content: [{ input: { INVALID_JSON: '{"command":"rm' } }, { input: {} }],
      });
      expect(assemble([start, ...cut(0), ...cut(1), ...end])).toBeInstanceOf(BrokenAnswer);
    },
  );
});
