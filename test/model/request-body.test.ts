import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../harness/model/model.js';
import { streamBody } from '../../harness/model/request-body.js';

const REQUEST: ModelRequest = {
  model: 'm',
  maxTokens: 100,
  system: [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ],
  tools: [
    { name: 'x', input_schema: { type: 'object' } },
    { name: 'y', input_schema: { type: 'object' } },
  ],
  messages: [
    { role: 'user', content: 'brief' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'x', input: {} }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't', content: 'ok' },
        { type: 'text', text: 'and' },
      ],
    },
  ],
};

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

const marks = (value: unknown) => JSON.stringify(value).split('"cache_control"').length - 1;

describe('streamBody', () => {
  it('sets two breakpoints: on the last system block and on the last block of the conversation', () => {
    const body = streamBody(freeze(structuredClone(REQUEST)));
    expect(marks(body)).toBe(2);
    expect(body.system?.[1]).toHaveProperty('cache_control');
    expect(body.messages[2]?.content[1]).toHaveProperty('cache_control', { type: 'ephemeral' });
  });

  it("leaves the caller's objects as they are", () => {
    const request = structuredClone(REQUEST);
    streamBody(request);
    expect(request).toEqual(REQUEST);
  });

  it('keeps the prefix of a longer conversation the same but for the breakpoint', () => {
    const shorter = streamBody({ ...REQUEST, messages: REQUEST.messages.slice(0, 1) });
    const longer = streamBody(REQUEST);
    expect(longer.system).toEqual(shorter.system);
    expect(longer.tools).toEqual(shorter.tools);
    expect(longer.messages[0]).toEqual({ role: 'user', content: 'brief' });
  });

  it('marks the last tool when there is no system prompt', () => {
    const body = streamBody({ ...REQUEST, system: [] });
    expect(body).not.toHaveProperty('system');
    expect(body.tools?.[1]).toHaveProperty('cache_control');
    expect(marks(body)).toBe(2);
  });

  it('makes a block of a plain text and passes over what cannot be cached', () => {
    const plain = streamBody({ ...REQUEST, messages: [{ role: 'user', content: 'brief' }] });
    expect(plain.messages[0]?.content).toEqual([
      { type: 'text', text: 'brief', cache_control: { type: 'ephemeral' } },
    ]);
    const thinking = streamBody({
      ...REQUEST,
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'so' },
            { type: 'thinking', thinking: 'hm', signature: 's' },
          ],
        },
      ],
    });
    expect(thinking.messages[0]?.content[0]).toHaveProperty('cache_control');
    expect(thinking.messages[0]?.content[1]).not.toHaveProperty('cache_control');
  });
});
