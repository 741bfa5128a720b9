import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it, test } from 'vitest';
import { call, calls, error, inOrder, say, scripted } from '../../harness/standin/scripted.js';
import { startStandin } from '../../harness/standin/server.js';
import { standinFor } from '../support/standin.js';
import { ask, assistant, clientOf, MODEL, params, post, user } from './client.js';

const INPUT = {
  path: 'src/ä.ts',
  text: 'a "quoted" line\\n\n\ttab 😀 \u2028 \\u0041',
  nested: { list: [1, -0.5, null] },
};

describe('an answer that streams', () => {
  test('carries text and tool calls whole, however oddly it is cut', async () => {
    const standin = await standinFor(() =>
      calls(
        [
          ['editor', INPUT],
          ['bash', {}],
        ],
        'Grüße, 😀 and so on.',
      ),
    );

    const message = await ask(standin);

    expect(message.stop_reason).toBe('tool_use');
    expect(message.model).toBe(MODEL);
    expect(message.content).toMatchObject([
      { type: 'text', text: 'Grüße, 😀 and so on.' },
      { type: 'tool_use', name: 'editor', input: INPUT },
      { type: 'tool_use', name: 'bash', input: {} },
    ]);
  });

  test('cuts the input of a tool call inside its escapes', async () => {
    const standin = await standinFor(() => call('editor', INPUT));
    const pieces: string[] = [];

    const stream = clientOf(standin).messages.stream(params());
    stream.on('streamEvent', event => {
      if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta') {
        pieces.push(event.delta.partial_json);
      }
    });
    await stream.done();

    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.filter(piece => piece.endsWith('\\')).length).toBeGreaterThan(2);
    expect(pieces[0]).toBe('');
  });

  test('brings events in the order of the API', async () => {
    const standin = await standinFor(() => say('Hi.'));

    const { text } = await post(standin, { ...params(), stream: true });
    const names = [...text.matchAll(/^event: (\S+)$/gm)].map(match => match[1]);

    expect([...new Set(names)]).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  test('can be sent back as it came', async () => {
    const standin = await standinFor(inOrder(call('bash', INPUT, 'Look.'), say('Done.')));
    const first = await ask(standin);
    const id = first.content.find(block => block.type === 'tool_use')?.id ?? '';

    const second = await ask(standin, {
      messages: [
        user('Hello.'),
        assistant(first.content),
        user([{ type: 'tool_result', tool_use_id: id, content: 'ok' }]),
      ],
    });

    expect(second.content).toMatchObject([{ type: 'text', text: 'Done.' }]);
  });

  test('has ids that no other answer has', async () => {
    const standin = await standinFor(() =>
      calls([
        ['bash', {}],
        ['bash', {}],
      ]),
    );

    const [one, two] = [await ask(standin), await ask(standin)];

    const ids = [one, two].flatMap(({ id, content }) => [
      id,
      ...content.map(block => ('id' in block ? block.id : '')),
    ]);
    expect(new Set(ids).size).toBe(6);
  });

  test.each([
    'end_turn',
    'max_tokens',
    'stop_sequence',
    'pause_turn',
    'refusal',
    'model_context_window_exceeded',
  ] as const)('stops for the reason %s', async stopReason => {
    const standin = await standinFor(() => ({ ...say('Well.'), stopReason }));
    const message = await ask(standin, { stop_sequences: ['END'] });
    expect(message.stop_reason).toBe(stopReason);
    expect(message.stop_sequence).toBe(stopReason === 'stop_sequence' ? 'END' : null);
  });

  test('ends at max_tokens as the model would, inside a tool call too', async () => {
    const standin = await standinFor(() => call('editor', { text: 'x'.repeat(1000) }, 'Writing.'));

    const message = await ask(standin, { max_tokens: 20 });

    expect(message.stop_reason).toBe('max_tokens');
    expect(message.usage.output_tokens).toBeLessThanOrEqual(20);
    expect(message.content).toMatchObject([{ type: 'text', text: 'Writing.' }, { type: 'tool_use' }]);
  });

  test('carries thinking with its signature', async () => {
    const standin = await standinFor(() => ({
      kind: 'message',
      content: [
        { type: 'thinking', thinking: 'First the list.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'eA==' },
        { type: 'text', text: 'So.' },
      ],
    }));
    expect((await ask(standin)).content).toMatchObject([
      { type: 'thinking', thinking: 'First the list.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'eA==' },
      { type: 'text', text: 'So.' },
    ]);
  });
});

test('an answer that does not stream is one message', async () => {
  const standin = await standinFor(() => call('editor', INPUT, 'Look.'));
  const message = await clientOf(standin).messages.create({ ...params(), stream: false });
  expect(message).toMatchObject({
    type: 'message',
    stop_reason: 'tool_use',
    content: [
      { type: 'text', text: 'Look.' },
      { type: 'tool_use', name: 'editor', input: INPUT },
    ],
  });
});

test('streamed or not, the same answer has the same usage', async () => {
  const standin = await standinFor(() => call('editor', INPUT, 'Look.'));
  const streamed = await ask(standin);
  const whole = await clientOf(standin).messages.create({ ...params(), stream: false });
  expect(streamed.usage).toEqual(whole.usage);
  expect(standin.billed.map(({ usage }) => usage)).toEqual([whole.usage, whole.usage]);
});

test('a reply can override its usage, and that is what is billed', async () => {
  const usage = { input_tokens: 180_000, output_tokens: 7 };
  const standin = await standinFor(() => ({ ...say('Hi.'), usage }));
  expect((await ask(standin)).usage).toMatchObject(usage);
  expect(standin.billed[0]?.usage).toMatchObject(usage);
});

test('billed dollars are the sum over a price function', async () => {
  const standin = await standinFor(() => say('x'.repeat(40)), {
    prices: (model, usage) => (model === MODEL ? usage.output_tokens : Number.NaN),
  });
  await ask(standin);
  await ask(standin);
  expect(standin.billed.map(({ usd }) => usd)).toEqual([10, 10]);
  expect(standin.billedUsd).toBe(20);
});

test('without a price function nothing is priced', async () => {
  const standin = await standinFor(() => say('Hi.'));
  await ask(standin);
  expect(standin.billedUsd).toBeNull();
});

test('counts the tokens of a prompt without answering it', async () => {
  const standin = await standinFor(() => say('Hi.'));
  const { input_tokens } = await clientOf(standin).messages.countTokens({
    model: MODEL,
    messages: [user('Hello.')],
  });
  expect(input_tokens).toBe((await ask(standin)).usage.input_tokens);
  expect(standin.requests.map(({ path }) => path)).toEqual(['/v1/messages/count_tokens', '/v1/messages']);
  expect(standin.billed).toHaveLength(1);
});

test('keeps every body with its path and time, refused ones too', async () => {
  const standin = await standinFor(() => say('Hi.'));
  await ask(standin);
  await post(standin, '{"model":');
  await post(standin, {}, '/v1/nothing?beta=true');
  expect(standin.requests).toMatchObject([
    { path: '/v1/messages', body: { ...params(), stream: true }, at: expect.any(Number) },
    { path: '/v1/messages', text: '{"model":', body: undefined },
    { path: '/v1/nothing', body: {} },
  ]);
});

describe('models', () => {
  it('are listed', async () => {
    const standin = await standinFor(() => say('Hi.'));
    const ids: string[] = [];
    for await (const model of clientOf(standin).models.list()) ids.push(model.id);
    expect(ids).toContain(MODEL);
  });

  it('are described one by one', async () => {
    const standin = await standinFor(() => say('Hi.'));
    const model = await clientOf(standin).models.retrieve(MODEL);
    expect(model).toMatchObject({ id: MODEL, max_input_tokens: 1_000_000 });
  });

  it('that are not there are a 404, also in a request for an answer', async () => {
    const standin = await standinFor(() => say('Hi.'));
    await expect(clientOf(standin).models.retrieve('claude-none')).rejects.toMatchObject({ status: 404 });
    await expect(ask(standin, { model: 'claude-none' })).rejects.toMatchObject({
      status: 404,
      type: 'not_found_error',
    });
  });
});

describe('the door', () => {
  it('takes a bearer token', async () => {
    const standin = await standinFor(() => say('Hi.'));
    const client = new Anthropic({ authToken: 'a-token', apiKey: null, baseURL: standin.url, maxRetries: 0 });
    expect((await client.messages.stream(params()).finalMessage()).stop_reason).toBe('end_turn');
  });

  it('is closed without a key', async () => {
    const standin = await standinFor(() => say('Hi.'));
    const answers = await Promise.all(
      [
        fetch(`${standin.url}/v1/models`),
        fetch(`${standin.url}/v1/messages`, { method: 'POST', body: '{}' }),
      ].map(async response => ({ status: (await response).status, body: await (await response).json() })),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 401,
        body: { type: 'error', error: { type: 'authentication_error' } },
      });
    }
  });

  it('answers a knock at the root', async () => {
    const standin = await standinFor(() => say('Hi.'));
    expect((await fetch(standin.url, { method: 'HEAD' })).status).toBe(200);
    expect(await (await fetch(standin.url)).json()).toEqual({ stand_in: 'test' });
  });

  it('says 404 in the shape of the API for any other path', async () => {
    const standin = await standinFor(() => say('Hi.'));
    const answer = await post(standin, {}, '/v1/complete');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: 'Not found: POST /v1/complete' },
      request_id: answer.headers.get('request-id'),
    });
  });
});

test('a scenario that throws is a 400 that begins with its name and the reason', async () => {
  const standin = await standinFor(
    scripted('board', ({ brief }) => {
      throw new Error(`the brief has no steps: ${brief}`);
    }),
  );
  await expect(ask(standin)).rejects.toMatchObject({
    status: 400,
    type: 'invalid_request_error',
    apiMessage: 'board: the brief has no steps: Hello.',
  });
  expect(standin.billed).toEqual([]);
});

test('an error reply arrives with its status, type and headers', async () => {
  const standin = await standinFor(() =>
    error(429, 'rate_limit_error', 'Slow down.', { 'retry-after': '7' }),
  );
  const failure = await ask(standin).catch(thrown => thrown);
  expect(failure).toBeInstanceOf(Anthropic.RateLimitError);
  expect(failure.type).toBe('rate_limit_error');
  expect(failure.headers.get('retry-after')).toBe('7');
  expect(standin.billed).toEqual([]);
});

test('after close nobody listens', async () => {
  const standin = await startStandin({ scenario: scripted('test', () => say('Hi.')) });
  await standin.close();
  await expect(ask(standin)).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
});

describe('a server that takes less than the API', () => {
  test('refuses keys and tool types that it does not know, for answers and for counts', async () => {
    const accepts = { keys: ['good'], toolTypes: ['bash_20250124'] };
    const standin = await standinFor(() => say('Hi.'), { accepts });
    const bash = { type: 'bash_20250124', name: 'bash' } as const;
    const editor = { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' } as const;
    const good = clientOf(standin, { apiKey: 'good' });

    await expect(clientOf(standin).messages.create(params())).rejects.toMatchObject({ status: 401 });
    await expect(clientOf(standin).models.list()).rejects.toMatchObject({ status: 401 });
    await expect(good.messages.create(params({ tools: [bash] }))).resolves.toMatchObject({
      role: 'assistant',
    });
    const { max_tokens: _, ...count } = params({ tools: [bash, editor] });
    for (const refused of [
      good.messages.create({ ...count, max_tokens: 9 }),
      good.messages.countTokens(count),
    ])
      await expect(refused).rejects.toMatchObject({
        status: 400,
        apiMessage: expect.stringContaining("tools.1: Input tag 'text_editor_20250728' found using 'type'"),
      });
  });

  test('counts what stands for a tool type whose schema the API knows', async () => {
    const standin = await standinFor(() => say('Hi.'));
    const count = (tools: Anthropic.MessageCountTokensParams['tools']) =>
      clientOf(standin).messages.countTokens({ model: MODEL, messages: [user('Hello.')], tools });
    const [none, bash] = [await count([]), await count([{ type: 'bash_20250124', name: 'bash' }])];
    expect(bash.input_tokens - none.input_tokens).toBeGreaterThan(245);
  });
});
