import { describe, expect, it } from 'vitest';
import { imageTokens } from '../../harness/model/image-tokens.js';
import { inputBound, mostTokens, reportedBy, reportedByStart } from '../../harness/model/input-bound.js';
import type { Answer, Message, ModelRequest } from '../../harness/model/model.js';

const BRIEF: Message = { role: 'user', content: [{ type: 'text', text: 'Feature: F-001' }] };
const CONTENT = [{ type: 'text', text: 'I look around.', citations: null }] as Answer['content'];
const RESULT: Message = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 't', content: 'größer' }],
};

function request(...messages: Message[]): ModelRequest {
  return {
    model: 'm',
    maxTokens: 100,
    system: [{ type: 'text', text: 'You build.' }],
    tools: [{ name: 'bash', input_schema: { type: 'object' } }],
    messages,
  };
}

function answer(usage: object): Answer {
  return { content: CONTENT, usage } as Answer;
}

const USAGE = {
  input_tokens: 5,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 300,
  output_tokens: 40,
};

/** The first bytes of a PNG of this size. */
function png(width: number, height: number): string {
  const head = Buffer.alloc(33);
  head.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head.toString('base64');
}

describe('inputBound', () => {
  it('is all bytes and a frame when nothing was reported', () => {
    const first = request(BRIEF);
    const bytes = Buffer.byteLength(JSON.stringify([first.system, first.tools, first.messages]));
    expect(inputBound(undefined, first)).toBe(bytes + 1_000);
  });

  it('is the reported size, the reported answer and the bytes of what is new', () => {
    const previous = reportedBy(request(BRIEF), answer(USAGE));
    const next = request(structuredClone(BRIEF), { role: 'assistant', content: CONTENT }, RESULT);
    expect(inputBound(previous, next)).toBe(325 + 40 + Buffer.byteLength(JSON.stringify([RESULT])));
  });

  it('is the reported size alone when the same request goes out again', () => {
    const previous = reportedByStart(request(BRIEF), USAGE);
    expect(inputBound(previous, request(BRIEF))).toBe(325 + mostTokens([]));
  });

  it('counts the bytes of an answer that was changed, besides what was reported for it', () => {
    const previous = reportedBy(request(BRIEF), answer(USAGE));
    const changed: Message = { role: 'assistant', content: 'something else' };
    const bytes = Buffer.byteLength(JSON.stringify(changed)) + Buffer.byteLength('[]');
    expect(inputBound(previous, request(BRIEF, changed))).toBe(325 + 40 + bytes);
  });

  it.each<[string, (later: ModelRequest) => ModelRequest]>([
    ['a message', later => ({ ...later, messages: [RESULT, ...later.messages.slice(1)] })],
    ['the number of messages', later => ({ ...later, messages: [] })],
    ['the system prompt', later => ({ ...later, system: [] })],
    ['the tools', later => ({ ...later, tools: [] })],
    ['the model', later => ({ ...later, model: 'n' })],
  ])('counts everything again when %s changed', (_, change) => {
    const previous = reportedBy(request(BRIEF), answer(USAGE));
    const later = change(request(BRIEF, { role: 'assistant', content: CONTENT }, RESULT));
    expect(inputBound(previous, later)).toBe(inputBound(undefined, later));
  });

  it('is not misled by messages that are added to the same list', () => {
    const messages: Message[] = [BRIEF];
    const previous = reportedBy({ ...request(), messages }, answer(USAGE));
    messages.push({ role: 'assistant', content: CONTENT }, RESULT);
    expect(inputBound(previous, { ...request(), messages })).toBeGreaterThan(365);
  });

  it.each([
    {},
    { input_tokens: 0, output_tokens: 3 },
    { input_tokens: 9, output_tokens: 0 },
    { input_tokens: Number.NaN, output_tokens: -1 },
  ])('does not build on a report like %j', usage => {
    expect(reportedBy(request(BRIEF), answer(usage))).toBeUndefined();
  });
});

describe('mostTokens', () => {
  it('counts a picture by its size, also inside a tool result, and the rest by bytes', () => {
    const data = png(1280, 720) + 'A'.repeat(500_000);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    const tokens = mostTokens({ content: [{ type: 'tool_result', content: [image] }] });
    expect(tokens).toBeGreaterThan(imageTokens(data));
    expect(tokens).toBeLessThan(imageTokens(data) + 100);
  });
});

describe('imageTokens', () => {
  it.each([
    [1000, 1000, 1334],
    [1092, 1092, 1590],
    [200, 200, 64],
    [1, 1, 1],
    [2000, 10, 72],
    [8000, 8000, 4784],
  ])('of %i x %i pixels are at most %i', (width, height, tokens) => {
    expect(imageTokens(png(width, height))).toBe(tokens);
  });

  it.each([undefined, '', 'AAAA', '/9j/4AAQSkZJRgABAQ', png(0, 10), png(10, 10).slice(0, 20)])(
    'of something without a size are as many as a picture can have',
    data => {
      expect(imageTokens(data)).toBe(4784);
    },
  );
});
