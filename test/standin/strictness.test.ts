import { describe, expect, test } from 'vitest';
import { standinModels } from '../../harness/standin/models.js';
import { inOrder, recorded, say } from '../../harness/standin/scripted.js';
import { rules } from '../../harness/standin/strictness.js';
import { standinFor } from '../support/standin.js';
import { ask, assistant, MODEL, params, post, user } from './client.js';

/** A body to be refused with a message, and its neighbour that is taken. */
interface Case {
  title: string;
  refused: unknown;
  says: string;
  accepted: unknown;
}

const cached = { cache_control: { type: 'ephemeral' as const } };
const cachedFor = (ttl: '5m' | '1h') => ({ cache_control: { type: 'ephemeral' as const, ttl } });
const text = (words: string) => ({ type: 'text', text: words });
const use = (id: string, more = {}) => ({ type: 'tool_use', id, name: 'bash', input: {}, ...more });
const result = (id: string, more = {}) => ({ type: 'tool_result', tool_use_id: id, content: 'ok', ...more });
const image = (bytes: Buffer, media_type = 'image/png') => ({
  type: 'image',
  source: { type: 'base64', media_type, data: bytes.toString('base64') },
});

const body = (more: object = {}) => ({ ...params(), ...more });
const without = (key: string) =>
  Object.fromEntries(Object.entries(params()).filter(([name]) => name !== key));
/** A conversation of blocks that begins with the user. */
const talk = (...turns: unknown[][]) =>
  body({
    messages: turns.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
  });
const tool = (more: object = {}) => ({ name: 'bash', input_schema: { type: 'object' }, ...more });
const tools = (...list: object[]) => body({ tools: list });
const schema = (input_schema: object) => tools(tool({ input_schema }));

/** The head of a PNG of this size, padded to so many bytes: as much as the API would look at. */
function png(width: number, height: number, bytes = 64): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([head, size, Buffer.alloc(bytes)]);
}

/** What the shape of the body decides. */
const shapeCases: Case[] = [
  { title: 'model', refused: without('model'), says: 'model: Field required', accepted: body() },
  {
    title: 'max_tokens',
    refused: without('max_tokens'),
    says: 'max_tokens: Field required',
    accepted: body(),
  },
  { title: 'messages', refused: without('messages'), says: 'messages: Field required', accepted: body() },
  {
    title: 'at least one message',
    refused: body({ messages: [] }),
    says: 'messages: at least one message is required',
    accepted: body(),
  },
  {
    title: 'max_tokens of at least one',
    refused: body({ max_tokens: 0 }),
    says: 'max_tokens: Input should be greater than or equal to 1',
    accepted: body({ max_tokens: 1 }),
  },
  {
    title: 'whole max_tokens',
    refused: body({ max_tokens: 1.5 }),
    says: 'max_tokens: Input should be a valid integer',
    accepted: body({ max_tokens: 2 }),
  },
  {
    title: 'known keys only',
    refused: body({ sytem: 'You build.' }),
    says: 'sytem: Extra inputs are not permitted',
    accepted: body({ system: 'You build.' }),
  },
  {
    title: 'known keys in blocks',
    refused: talk([{ ...text('Hi.'), parsed: null }]),
    says: 'messages.0.content.0.text.parsed: Extra inputs are not permitted',
    accepted: talk([{ ...text('Hi.'), citations: null }]),
  },
  {
    title: 'roles',
    refused: body({ messages: [user('Hi.'), { role: 'system', content: 'Be kind.' }] }),
    says: "messages.1.role: Input should be 'user' or 'assistant'",
    accepted: body({ messages: [user('Hi.'), assistant('Yes.'), user('Go.')] }),
  },
  {
    title: 'block types',
    refused: talk([{ type: 'picture' }]),
    says: "messages.0.content.0: Input tag 'picture' found using 'type' does not match",
    accepted: talk([text('Hi.')]),
  },
  {
    title: 'tool_use input that is an object',
    refused: talk([text('Hi.')], [use('a', { input: '{}' })], [result('a')]),
    says: 'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
    accepted: talk([text('Hi.')], [use('a', { input: {} })], [result('a')]),
  },
  {
    title: 'tool_use ids of simple characters',
    refused: talk([text('Hi.')], [use('a.b')], [result('a.b')]),
    says: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    accepted: talk([text('Hi.')], [use('a-b')], [result('a-b')]),
  },
  {
    title: 'tool names of simple characters',
    refused: tools(tool({ name: 'mcp.read' })),
    says: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    accepted: tools(tool({ name: 'mcp__read' })),
  },
  {
    title: 'tool names of at most 128 characters',
    refused: tools(tool({ name: 'n'.repeat(129) })),
    says: 'tools.0.custom.name: String should match pattern',
    accepted: tools(tool({ name: 'n'.repeat(128) })),
  },
  {
    title: 'input schemas of type object',
    refused: schema({ type: 'string' }),
    says: "tools.0.custom.input_schema.type: Input should be 'object'",
    accepted: schema({ type: 'object' }),
  },
  {
    title: 'input schemas with a type',
    refused: schema({ properties: {} }),
    says: 'tools.0.custom.input_schema.type: Field required',
    accepted: schema({ type: 'object', properties: {} }),
  },
  {
    title: 'input schemas at all',
    refused: tools({ name: 'bash' }),
    says: 'tools.0.custom.input_schema: Field required',
    accepted: tools({ name: 'bash', type: 'bash_20250124' }),
  },
  {
    title: 'tool types that the API knows',
    refused: tools({ name: 'bash', type: 'bash_20990101' }),
    says: "tools.0: Input tag 'bash_20990101' found using 'type' does not match any of the expected tags",
    accepted: tools(tool({ type: 'custom' }), { type: 'browser_toolset_20260801' }),
  },
  {
    title: 'the names of tools whose schema it knows',
    refused: tools({ name: 'text_editor', type: 'text_editor_20250728' }),
    says: "tools.0.text_editor_20250728.name: Input should be 'str_replace_based_edit_tool'",
    accepted: tools({ name: 'str_replace_based_edit_tool', type: 'text_editor_20250728', ...cached }),
  },
  {
    title: 'no schema and no description of ours for those',
    refused: tools({ name: 'bash', type: 'bash_20250124', description: 'Runs commands.' }),
    says: 'tools.0.bash_20250124.description: Extra inputs are not permitted',
    accepted: tools({
      name: 'str_replace_based_edit_tool',
      type: 'text_editor_20250728',
      max_characters: 24_000,
    }),
  },
  {
    title: 'no name of a toolset',
    refused: tools({ name: 'browser', type: 'browser_toolset_20260801' }),
    says: 'tools.0.browser_toolset_20260801.name: Extra inputs are not permitted',
    accepted: tools({ type: 'browser_toolset_20260801', configs: {} }),
  },
  {
    title: 'no breakpoint on thinking',
    refused: talk(
      [text('Hi.')],
      [{ type: 'thinking', thinking: '', signature: 's', ...cached }],
      [text('Go.')],
    ),
    says: 'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
    accepted: talk([text('Hi.')], [{ ...text('Yes.'), ...cached }], [text('Go.')]),
  },
  {
    title: 'known lifetimes',
    refused: body({ cache_control: { type: 'ephemeral', ttl: '2h' } }),
    says: "cache_control.ttl: Input should be '5m' or '1h'",
    accepted: body(cachedFor('1h')),
  },
  {
    title: 'known media types',
    refused: talk([image(png(10, 10), 'image/bmp')]),
    says: "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    accepted: talk([image(png(10, 10))]),
  },
  {
    title: 'a thinking budget of at least 1024',
    refused: body({ max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1000 } }),
    says: 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
    accepted: body({ max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1024 } }),
  },
];

/** What the rules decide, under the name of each. */
const ruleCases: Record<string, Omit<Case, 'title'>[]> = {
  'the first message is from the user': [
    {
      refused: body({ messages: [assistant('Hi.'), user('Hi.')] }),
      says: 'messages: first message must use the "user" role',
      accepted: body({ messages: [user('Hi.'), assistant('Hi.'), user('Go.')] }),
    },
  ],
  'no message is empty': [
    {
      refused: talk([text('Hi.')], [], [text('Go.')]),
      says: 'messages.1: all messages must have non-empty content except for the optional final assistant message',
      accepted: talk([text('Hi.')], [text('Yes.')], [text('Go.')]),
    },
    {
      refused: body({ messages: [user('')] }),
      says: 'messages.0: all messages must have non-empty content',
      accepted: body({ messages: [user('.')] }),
    },
  ],
  'no breakpoint on empty text': [
    {
      refused: talk([text('Hi.'), { ...text(''), ...cached }]),
      says: 'messages.0.content.1.text: cache_control cannot be set for empty text blocks',
      accepted: talk([text('Hi.'), { ...text('.'), ...cached }]),
    },
  ],
  'no text is blank': [
    {
      refused: talk([text('')]),
      says: 'messages.0.content.0: text content blocks must be non-empty',
      accepted: talk([text('Hi.')]),
    },
    {
      refused: talk([text(' \n')]),
      says: 'messages.0.content.0: text content blocks must contain non-whitespace text',
      accepted: talk([text(' Hi. \n')]),
    },
    {
      refused: body({ system: [text('You build.'), text('')] }),
      says: 'system.1: text content blocks must be non-empty',
      accepted: body({ system: [text('You build.')] }),
    },
    {
      refused: talk([text('Hi.')], [use('a')], [result('a', { content: [text('')] })]),
      says: 'messages.2.content.0.tool_result.content.0: text content blocks must be non-empty',
      accepted: talk([text('Hi.')], [use('a')], [result('a', { content: '' })]),
    },
  ],
  'every block is in a message of its role': [
    {
      refused: talk([use('a')], [result('a')]),
      says: 'messages.0.content.0: `tool_use` blocks can only be in `assistant` messages',
      accepted: talk([text('Hi.')], [use('a')], [result('a')]),
    },
    {
      refused: talk([text('Hi.')], [image(png(1, 1))], [text('Go.')]),
      says: 'messages.1.content.0: `image` blocks can only be in `user` messages',
      accepted: talk([text('Hi.'), image(png(1, 1))]),
    },
  ],
  'tool names are unique': [
    {
      refused: tools(tool(), tool()),
      says: 'tools: Tool names must be unique.',
      accepted: tools(tool(), tool({ name: 'notes' })),
    },
  ],
  'input schemas are plain objects at the top': [
    {
      refused: schema({ type: 'object', anyOf: [{ required: ['a'] }] }),
      says: 'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
      accepted: schema({
        type: 'object',
        properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      }),
    },
  ],
  'input schemas have simple property keys': [
    {
      refused: schema({ type: 'object', properties: { 'a key': {} } }),
      says: "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
      accepted: schema({ type: 'object', properties: { 'a.key-1': {} } }),
    },
  ],
  'input schemas are valid schemas': [
    {
      refused: schema({ type: 'object', properties: { a: { type: 'text' } } }),
      says: 'tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12',
      accepted: schema({
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { a: { type: 'string', format: 'uri' } },
        additionalProperties: false,
      }),
    },
  ],
  'a tool choice names a tool that is there': [
    {
      refused: body({ tool_choice: { type: 'auto' } }),
      says: 'tool_choice: tool_choice may only be specified while providing tools',
      accepted: body({ tools: [tool()], tool_choice: { type: 'auto' } }),
    },
    {
      refused: body({ tools: [tool()], tool_choice: { type: 'tool', name: 'notes' } }),
      says: "tool_choice: Tool 'notes' not found in provided tools",
      accepted: body({ tools: [tool()], tool_choice: { type: 'tool', name: 'bash' } }),
    },
  ],
  'tool_use ids are unique': [
    {
      refused: talk([text('Hi.')], [use('a')], [result('a')], [use('a')], [result('a')]),
      says: 'messages.3.content.0: `tool_use` ids must be unique',
      accepted: talk([text('Hi.')], [use('a')], [result('a')], [use('b')], [result('b')]),
    },
  ],
  'every tool_result has its tool_use': [
    {
      refused: talk([text('Hi.')], [use('a')], [result('a'), result('b')]),
      says: 'messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: b.',
      accepted: talk([text('Hi.')], [use('a'), use('b')], [result('a'), result('b')]),
    },
    {
      refused: talk([result('a')]),
      says: 'messages.0.content.0: unexpected `tool_use_id`',
      accepted: talk([text('Hi.')]),
    },
  ],
  'every tool_use is answered first thing in the next message': [
    {
      refused: talk([text('Hi.')], [use('a'), use('b')], [result('b'), text('Go.')]),
      says: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.',
      accepted: talk([text('Hi.')], [use('a'), use('b')], [result('b'), result('a'), text('Go.')]),
    },
    {
      refused: talk([text('Hi.')], [use('a')], [text('Go.'), result('a')]),
      says: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.',
      accepted: talk([text('Hi.')], [use('a')], [result('a'), text('Go.')]),
    },
    {
      refused: talk([text('Hi.')], [use('a')]),
      says: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.',
      accepted: talk([text('Hi.')], [use('a')], [result('a')]),
    },
  ],
  'every tool_use has one result': [
    {
      refused: talk([text('Hi.')], [use('a')], [result('a'), result('a')]),
      says: 'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
      accepted: talk([text('Hi.')], [use('a')], [result('a')]),
    },
  ],
  'a result that is an error says why, in text': [
    {
      refused: talk([text('Hi.')], [use('a')], [result('a', { content: '', is_error: true })]),
      says: 'messages.2.content.0.tool_result: content cannot be empty if `is_error` is true',
      accepted: talk([text('Hi.')], [use('a')], [result('a', { content: '', is_error: false })]),
    },
    {
      refused: talk(
        [text('Hi.')],
        [use('a')],
        [result('a', { content: [image(png(1, 1))], is_error: true })],
      ),
      says: 'messages.2.content.0.tool_result.content: all content must be type "text" if `is_error` is true',
      accepted: talk([text('Hi.')], [use('a')], [result('a', { content: [image(png(1, 1))] })]),
    },
  ],
  'at most four breakpoints': [
    {
      refused: { ...talk([1, 2, 3, 4].map(() => ({ ...text('Hi.'), ...cached }))), tools: [tool(cached)] },
      says: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
      accepted: talk([1, 2, 3, 4].map(() => ({ ...text('Hi.'), ...cached }))),
    },
    {
      refused: {
        ...talk([...[1, 2, 3, 4].map(() => ({ ...text('Hi.'), ...cached })), text('End.')]),
        ...cached,
      },
      says: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
      accepted: { ...talk([1, 2, 3, 4].map(() => ({ ...text('Hi.'), ...cached }))), ...cached },
    },
  ],
  'the automatic breakpoint agrees with an explicit one': [
    {
      refused: { ...talk([{ ...text('Hi.'), ...cachedFor('5m') }]), ...cachedFor('1h') },
      says: 'messages.0.content.0.cache_control.ttl: differs from the top-level cache_control',
      accepted: { ...talk([{ ...text('Hi.'), ...cachedFor('1h') }]), ...cachedFor('1h') },
    },
  ],
  'no long-lived breakpoint behind a short-lived one': [
    {
      refused: { ...talk([{ ...text('Hi.'), ...cachedFor('1h') }]), tools: [tool(cached)] },
      says: "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
      accepted: { ...talk([{ ...text('Hi.'), ...cached }]), tools: [tool(cachedFor('1h'))] },
    },
  ],
  'pictures are what they say and not too large': [
    {
      refused: talk([image(png(8001, 10))]),
      says: 'messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
      accepted: talk([image(png(8000, 8000))]),
    },
    {
      refused: talk(Array.from({ length: 21 }, () => image(png(2001, 10)))),
      says: 'messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
      accepted: talk(Array.from({ length: 20 }, () => image(png(2001, 10)))),
    },
    {
      refused: talk([image(png(10, 10, 5 * 1024 * 1024))]),
      says: 'messages.0.content.0.image.source.base64: image exceeds 5 MB maximum',
      accepted: talk([image(png(10, 10, 5 * 1024 * 1024 - 24))]),
    },
    {
      refused: talk([text('Hi.')], [use('a')], [result('a', { content: [image(Buffer.from('not found'))] })]),
      says: 'messages.2.content.0.tool_result.content.0.image.source.base64: Could not process image',
      accepted: talk([text('Hi.')], [use('a')], [result('a', { content: [image(png(10, 10))] })]),
    },
    {
      refused: talk([image(png(10, 10), 'image/jpeg')]),
      says: 'messages.0.content.0.image.source.base64: The image was specified using the image/jpeg media type, but the image appears to be a image/png image',
      accepted: talk([image(Buffer.from('ffd8ffe000', 'hex'), 'image/jpeg')]),
    },
  ],
  'no answer ends in thinking': [
    {
      refused: talk(
        [text('Hi.')],
        [text('Hm.'), { type: 'thinking', thinking: 'I', signature: 's' }],
        [text('Go.')],
      ),
      says: 'messages.1: The final block in an assistant message cannot be `thinking`.',
      accepted: talk([text('Hi.')], [text('Hm.')], [text('Go.')]),
    },
    {
      refused: talk([text('Hi.')], [{ type: 'redacted_thinking', data: 'x' }], [text('Go.')]),
      says: 'messages.1: The final block in an assistant message cannot be `redacted_thinking`.',
      accepted: talk([text('Hi.')], [text('I')], [text('Go.')]),
    },
  ],
  'thinking comes back as it was sent': [
    {
      refused: talk(
        [text('Hi.')],
        [{ type: 'thinking', thinking: 'I', signature: 'forged' }, text('Hm.')],
        [text('Go.')],
      ),
      says: 'messages.1.content.0: Invalid `signature` in `thinking` block',
      accepted: talk([text('Hi.')], [text('I')], [text('Go.')]),
    },
  ],
  'a prefilled answer does not end in white space': [
    {
      refused: { ...talk([text('Hi.')], [text('The answer is ')]), model: 'claude-haiku-4-5' },
      says: 'messages: final assistant content cannot end with trailing whitespace',
      accepted: { ...talk([text('Hi.')], [text('The answer is')]), model: 'claude-haiku-4-5' },
    },
  ],
  'only some models take a prefilled answer': [
    {
      refused: talk([text('Hi.')], [text('The answer is')]),
      says: 'This model does not support assistant message prefill.',
      accepted: talk(
        [text('Hi.')],
        [text('Searching.'), { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }],
      ),
    },
  ],
  'max_tokens is within the limit of the model': [
    {
      refused: body({ max_tokens: 128_001 }),
      says: 'max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for claude-sonnet-5-5',
      accepted: body({ max_tokens: 128_000 }),
    },
  ],
  'max_tokens leaves room behind the thinking': [
    {
      refused: body({ max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 2000 } }),
      says: '`max_tokens` must be greater than `thinking.budget_tokens`',
      accepted: body({ max_tokens: 2001, thinking: { type: 'enabled', budget_tokens: 2000 } }),
    },
  ],
  'the prompt fits': [
    {
      refused: { ...talk([text('x'.repeat(4_000_000))]), model: MODEL },
      says: 'prompt is too long: 1000007 tokens > 1000000 maximum',
      accepted: talk([text('x'.repeat(3_999_900))]),
    },
  ],
};

test('every rule has a case', () => {
  expect(Object.keys(ruleCases).sort()).toEqual(rules.map(({ name }) => name).sort());
});

const all = [
  ...shapeCases,
  ...Object.entries(ruleCases).flatMap(([title, cases]) => cases.map(each => ({ title, ...each }))),
];

test.each(all)('$title: $says', async ({ refused, says, accepted }) => {
  const standin = await standinFor(() => say('Hi.'));

  const refusal = await post(standin, refused);
  expect(refusal.body?.error.message).toContain(says);
  expect(refusal).toMatchObject({
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error' } },
  });

  const answer = await post(standin, accepted);
  expect(answer.body?.error?.message).toBeUndefined();
  expect(answer.status).toBe(200);
  expect(standin.billed).toHaveLength(1);
});

describe('the bytes of a body', () => {
  const saying = (inner: string) =>
    `{"model":"${MODEL}","max_tokens":10,"messages":[{"role":"user","content":"${inner}"}]}`;

  test.each([
    ['a high surrogate alone', '\\ud83d', '\\ud83d\\ude00'],
    ['a high surrogate before another character', '\\ud83dx', '\\ud83d\\ude00x'],
    ['a high surrogate before another', '\\ud83d\\ud83d\\ude00', '\\ud83d\\ude00\\ud83d\\ude00'],
    ['a low surrogate alone', 'x\\ude00', 'x\\\\ude00'],
    ['text that only looks like one', '\\\\\\ud83d', '\\\\ud83d'],
  ])('are refused with %s', async (_, refused, accepted) => {
    const standin = await standinFor(() => say('Hi.'));
    const refusal = await post(standin, saying(refused));
    expect(refusal).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error' } } });
    expect(refusal.body.error.message).toContain(
      'The request body is not valid JSON: no whole surrogate pair',
    );
    expect((await post(standin, saying(accepted))).status).toBe(200);
  });

  test('are refused when they are not UTF-8', async () => {
    const standin = await standinFor(() => say('Hi.'));
    const [before, after] = saying('|').split('|');
    const inside = (bytes: number[]) =>
      Buffer.concat([Buffer.from(before ?? ''), Buffer.from(bytes), Buffer.from(after ?? '')]);
    expect((await post(standin, inside([0xe4]))).body.error.message).toContain('not valid UTF-8');
    expect((await post(standin, inside([0xc3, 0xa4]))).status).toBe(200);
  });

  test('are refused when they are no JSON', async () => {
    const standin = await standinFor(() => say('Hi.'));
    expect((await post(standin, '{"model":')).body.error.message).toContain(
      'The request body is not valid JSON',
    );
  });

  test('are refused above 32 MB', async () => {
    const standin = await standinFor(() => say('Hi.'));
    const answer = await post(standin, saying('x'.repeat(32 * 1024 * 1024)));
    expect(answer).toMatchObject({ status: 413, body: { error: { type: 'request_too_large' } } });
  });
});

test('a request without a version is refused', async () => {
  const standin = await standinFor(() => say('Hi.'));
  const response = await fetch(`${standin.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'a-key' },
    body: JSON.stringify(params()),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('anthropic-version: header is required');
});

test('a count follows the same rules, but takes no max_tokens', async () => {
  const standin = await standinFor(() => say('Hi.'));
  const count = (what: unknown) => post(standin, what, '/v1/messages/count_tokens');
  expect((await count(talk([text('Hi.')]))).body.error.message).toBe(
    'max_tokens: Extra inputs are not permitted',
  );
  expect((await count(without('max_tokens'))).body).toEqual({ input_tokens: expect.any(Number) });
  expect((await count({ model: MODEL, messages: [user([])] })).status).toBe(400);
});

test('the limits are those of the model that is asked', async () => {
  const small = { ...standinModels[0], id: 'small', maxInputTokens: 20, maxTokens: 5, prefill: false };
  const standin = await standinFor(() => say('Hi.'), {
    models: [{ displayName: 'Small', line: null, ...small }],
  });
  await expect(ask(standin, { model: 'small', max_tokens: 6 })).rejects.toThrow('max_tokens: 6 > 5');
  const long = [user('x'.repeat(100))];
  await expect(ask(standin, { model: 'small', max_tokens: 5, messages: long })).rejects.toThrow(
    '> 20 maximum',
  );
});

describe('thinking that was sent', () => {
  const thought = { type: 'thinking' as const, thinking: 'The list first.', signature: 'c2lnLTE=' };
  const redacted = { type: 'redacted_thinking' as const, data: 'aGlkZGVu' };
  const call = { type: 'tool_use' as const, id: 'toolu_1', name: 'bash', input: {} };
  const answer = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'ok' };
  const reply = { kind: 'message' as const, content: [thought, redacted, call] };

  /** Sends back the running turn, or one behind which the user has spoken again. */
  async function sendBack(content: object[], { older = false, more = {} } = {}) {
    const standin = await standinFor(inOrder(reply, say('Done.')));
    await ask(standin);
    const turn = [user('Hello.'), { role: 'assistant', content }, user([answer])];
    const later = [{ role: 'assistant', content: [text('Done.')] }, user('Next.')];
    const { status, body: answered } = await post(
      standin,
      body({ messages: older ? [...turn, ...later] : turn, ...more }),
    );
    return status === 200 ? 'taken' : String(answered.error.message);
  }

  test('is taken unchanged', async () => {
    expect(await sendBack([thought, redacted, call])).toBe('taken');
  });

  test('is taken unchanged from a recording too', async () => {
    const start =
      '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}';
    const events = [
      start,
      '{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}',
      '{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"So."}}',
      '{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}',
      '{"type":"content_block_stop","index":0}',
      '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}',
      '{"type":"message_stop"}',
    ];
    const recording = events.map(data => `event: ${JSON.parse(data).type}\ndata: ${data}\n\n`).join('');
    const standin = await standinFor(inOrder(recorded(recording), say('Done.')));
    const { content } = await ask(standin);
    const messages = [user('Hello.'), assistant([...content, { type: 'text', text: 'So.' }]), user('Next.')];
    expect(content).toMatchObject([{ type: 'thinking', thinking: 'So.', signature: 'c2ln' }]);
    expect((await ask(standin, { messages })).stop_reason).toBe('end_turn');
  });

  test.each([
    ['changed', [{ ...thought, thinking: 'The list last.' }, redacted, call], 'cannot be modified'],
    [
      'under another signature',
      [{ ...thought, signature: 'c2lnLTI=' }, redacted, call],
      'Invalid `signature`',
    ],
    ['reordered', [redacted, thought, call], 'cannot be modified'],
    ['in part', [thought, call], 'cannot be modified'],
    ['absent from the running turn', [call], 'Expected `thinking` or `redacted_thinking`'],
    ['with other hidden data', [thought, { ...redacted, data: 'b3RoZXI=' }, call], 'Invalid `signature`'],
  ])('is refused %s', async (_, content, says) => {
    expect(await sendBack(content)).toContain(says);
  });

  test('may be absent from an older turn, but not come in part', async () => {
    expect(await sendBack([call], { older: true })).toBe('taken');
    expect(await sendBack([thought, call], { older: true })).toContain('cannot be modified');
  });

  test('may be absent when thinking is turned off', async () => {
    expect(await sendBack([call], { more: { thinking: { type: 'disabled' } } })).toBe('taken');
  });
});
