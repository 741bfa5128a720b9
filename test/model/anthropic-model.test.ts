import { describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { caseText } from '../support/cases.js';
import { DONE, events, failure, modelAt, never, REQUEST, START, TEXT } from '../support/model-calls.js';
import { apiError, type BodyEnd, caseStream, http, rawApi, sse } from '../support/raw-api.js';

describe('an answer that is whole', () => {
  it('is returned with its text, tool calls and usage', async () => {
    const api = await rawApi(caseStream('FC-000-ok-tool-use.sse'));
    const answer = await modelAt(api.url).send(REQUEST, never);
    expect(answer).toMatchObject({
      id: 'msg_fc000a',
      role: 'assistant',
      stop_reason: 'tool_use',
      usage: { input_tokens: 900, cache_read_input_tokens: 0 },
      content: [
        { type: 'text', text: 'Checking the tree.' },
        { type: 'tool_use', id: 'toolu_fc000a01', name: 'bash' },
      ],
    });
    expect(answer.content[1]).toHaveProperty('input.command');
  });

  it('keeps thinking with its signature and the order of the blocks (FC-017)', async () => {
    const api = await rawApi(caseStream('FC-017-thinking-tool.sse'));
    const { content } = await modelAt(api.url).send(REQUEST, never);
    expect(content.map(block => block.type)).toEqual(['thinking', 'redacted_thinking', 'text', 'tool_use']);
    expect(content[0]).toEqual({
      type: 'thinking',
      thinking: 'The list page works; the delete button is next.',
      signature: 'RkMwMTctZmFrZS1zaWduYXR1cmUtZm9yLXRlc3RpbmctMDE=',
    });
  });

  it('gives a call without any JSON the input {} (FC-020)', async () => {
    const api = await rawApi(caseStream('FC-020-noarg-tool.sse'));
    const { content } = await modelAt(api.url).send(REQUEST, never);
    expect(content).toEqual([{ type: 'tool_use', id: 'toolu_fc02001', name: 'browser_snapshot', input: {} }]);
  });

  it('counts the last of several running totals, not their sum (FC-113)', async () => {
    const api = await rawApi(caseStream('FC-113-two-deltas-cumulative.sse'));
    const { usage, stop_reason } = await modelAt(api.url).send(REQUEST, never);
    expect(usage.output_tokens).toBe(500);
    expect(usage.input_tokens).toBe(1000);
    expect(stop_reason).toBe('end_turn');
  });

  it('keeps the refusal, the paused turn and the server tool call as the API ended them', async () => {
    const api = await rawApi(caseStream('FC-013-refusal.sse'), caseStream('FC-014-pause-turn.sse'));
    const model = modelAt(api.url);
    expect(await model.send(REQUEST, never)).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { type: 'refusal' },
    });
    const paused = await model.send(REQUEST, never);
    expect(paused.stop_reason).toBe('pause_turn');
    expect(paused.content[1]).toMatchObject({
      type: 'server_tool_use',
      input: { query: 'vite preview port flag' },
    });
  });

  it('never carries the repaired input of a call that max_tokens cut (FC-010, FC-011)', async () => {
    const api = await rawApi(
      caseStream('FC-010-max-tokens-in-tool.sse'),
      caseStream('FC-011-two-tools-second-cut.sse'),
    );
    const model = modelAt(api.url);
    const cut = await model.send(REQUEST, never);
    expect(cut.stop_reason).toBe('max_tokens');
    expect(cut.content[1]).toMatchObject({ type: 'tool_use', id: 'toolu_fc01001', input: {} });
    const two = await model.send(REQUEST, never);
    expect(two.content).toMatchObject([
      { input: { command: 'echo first > fc011-first.txt' } },
      { input: {} },
    ]);
  });

  it('is taken although the end of the answer reports no usage', async () => {
    const [, stop] = DONE;
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
    const api = await rawApi(sse(events(START, ...TEXT, end, stop as object)));
    expect((await modelAt(api.url).send(REQUEST, never)).usage).toMatchObject({
      input_tokens: 100,
      output_tokens: 1,
    });
  });

  it('is returned at message_stop although the server keeps the stream open', async () => {
    let hungUp: Promise<unknown> | undefined;
    const api = await rawApi((response, request) => {
      hungUp = new Promise(resolve => response.on('close', resolve));
      sse(events(START, ...TEXT, ...DONE), 'hang')(response, request);
    });
    expect(await modelAt(api.url).send(REQUEST, never)).toMatchObject({ stop_reason: 'end_turn' });
    // And the connection does not stay behind.
    await hungUp;
  });

  it('comes over one connection again and again', async () => {
    const sockets = new Set<unknown>();
    const ok = sse(caseText('FC-000-ok-end-turn.sse'));
    const api = await rawApi((response, request) => {
      sockets.add(request.socket);
      ok(response, request);
    });
    const model = modelAt(api.url);
    for (let turn = 0; turn < 4; turn++) {
      await model.send(REQUEST, never);
      // A tool runs.
      await systemClock.sleep(50);
    }
    expect(sockets.size).toBe(1);
  });

  it('ignores events, deltas and blocks that nobody has heard of', async () => {
    const api = await rawApi(
      sse(
        events(
          { type: 'weather', index: 3 },
          START,
          { type: 'content_block_start', index: 0, content_block: { type: 'hologram', data: 'x' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'hologram_delta', data: 'y' } },
          { type: 'content_block_stop', index: 0 },
          ...DONE,
          { type: 'later' },
        ),
      ),
    );
    expect((await modelAt(api.url).send(REQUEST, never)).content).toEqual([{ type: 'hologram', data: 'x' }]);
  });
});

describe('an answer that is not whole', () => {
  /** Every so many bytes; `cut-streams.test.ts` takes every byte, without a network. */
  const STEP = 7;

  it.each<[BodyEnd, string]>([
    ['close', 'FC-000-ok-tool-use.sse'],
    ['reset', 'FC-020-noarg-tool.sse'],
  ])(
    'is never returned, wherever the stream is cut by %s: %s',
    async (how, name) => {
      const recorded = Buffer.from(caseText(name));
      const startEnds = recorded.indexOf('\n\n') + 2;
      const inputTokens = Number(/"input_tokens":(\d+)/.exec(recorded.toString())?.[1]);
      const api = await rawApi((response, request) => {
        sse(recorded.subarray(0, (api.bodies.length - 1) * STEP), how)(response, request);
      });
      const model = modelAt(api.url);
      for (let bytes = 0; bytes < recorded.length; bytes += STEP) {
        const error = await failure(model.send(REQUEST, never));
        expect(error, `${bytes} bytes`).toMatchObject({ fault: 'network', billable: true });
        // A reset may overtake what was sent before it.
        const reported =
          how === 'close' ? [bytes < startEnds ? undefined : inputTokens] : [undefined, inputTokens];
        expect(reported, `${bytes} bytes`).toContain(error.usage?.input_tokens);
      }
      if (how === 'close') expect(await model.send(REQUEST, never)).toHaveProperty('id');
    },
    120_000,
  );

  it('tells what was counted before the cut (FC-118)', async () => {
    const api = await rawApi(caseStream('FC-118-cut-after-costly-start.sse'));
    const error = await failure(modelAt(api.url).send(REQUEST, never));
    expect(error).toMatchObject({ fault: 'network', billable: true, usage: { input_tokens: 180000 } });
    expect(error.receivedBytes).toBeGreaterThanOrEqual('Reading'.length);
    expect(error.receivedBytes).toBeLessThan(60);
  });

  it('is discarded when it breaks off inside the JSON of a tool call (FC-001)', async () => {
    const api = await rawApi(caseStream('FC-001-cut-mid-json.sse'));
    expect(await failure(modelAt(api.url).send(REQUEST, never))).toMatchObject({
      fault: 'network',
      billable: true,
    });
  });

  it('is overload when the stream says so in its middle (FC-002)', async () => {
    const api = await rawApi(caseStream('FC-002-error-event-midstream.sse'));
    expect(await failure(modelAt(api.url).send(REQUEST, never))).toMatchObject({
      fault: 'overloaded',
      billable: true,
      status: undefined,
    });
  });

  it('costs nothing when the stream begins with an error', async () => {
    const refusal = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const api = await rawApi(sse(events(refusal)));
    expect(await failure(modelAt(api.url).send(REQUEST, never))).toMatchObject({
      fault: 'overloaded',
      billable: false,
      message: 'Overloaded',
    });
  });

  it.each<[string, object[]]>([
    ['a gap in the indexes', [START, { ...TEXT[0], index: 5 }, ...TEXT.slice(1), ...DONE]],
    ['the same index twice', [START, ...TEXT, ...TEXT, ...DONE]],
    ['a piece without its block', [START, { ...TEXT[1], index: 4 }, ...DONE]],
    ['a piece after the end of its block', [START, ...TEXT, TEXT[1] as object, ...DONE]],
    [
      'a piece of another type',
      [
        START,
        { ...TEXT[0], content_block: { type: 'tool_use', id: 'a', name: 'b' } },
        ...TEXT.slice(1),
        ...DONE,
      ],
    ],
    [
      'a piece without text',
      [START, TEXT[0] as object, { ...TEXT[1], delta: { type: 'text_delta', text: 4 } }, ...DONE],
    ],
    ['a block without an end', [START, ...TEXT.slice(0, 2), ...DONE]],
    ['no beginning', [...TEXT, ...DONE]],
    ['two beginnings', [START, START, ...TEXT, ...DONE]],
    ['a beginning without a message', [{ type: 'message_start' }, ...TEXT, ...DONE]],
    [
      'no stop reason',
      [START, ...TEXT, { type: 'message_delta', delta: { stop_reason: null } }, DONE[1] as object],
    ],
    ['two calls under one id', [START, ...twins(), ...DONE]],
    [
      'a call without a name',
      [START, { ...TEXT[0], content_block: { type: 'tool_use', id: 'a' } }, TEXT[2] as object, ...DONE],
    ],
  ])('is a typed error with %s', async (_, list) => {
    const api = await rawApi(sse(events(...list)));
    expect((await failure(modelAt(api.url).send(REQUEST, never))).fault).toBe('network');
  });

  it.each([
    ['a list', '[1]'],
    ['a number', '7'],
    ['cut although the API ended the turn', '{"command": "rm -rf'],
    ['one with a comma too many', '{"command": "ls",}'],
    ['two objects', '{"command": "ls"}{"command": "rm"}'],
    ['words', 'list the files'],
  ])(
    'but for the input of a call that is %s is an answer, with the input as it came under a key of its own',
    async (_, json) => {
      const api = await rawApi(sse(events(START, ...call(json), ...DONE)));
      const { content } = await modelAt(api.url).send(REQUEST, never);
      expect(content).toMatchObject([{ type: 'tool_use', input: { INVALID_JSON: json } }]);
    },
  );

  function call(json: string, id = 'toolu_1', index = 0): object[] {
    return [
      {
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id, name: 'bash', input: {} },
      },
      { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } },
      { type: 'content_block_stop', index },
    ];
  }
  function twins(): object[] {
    return [...call('{}', 'toolu_1', 0), ...call('{}', 'toolu_1', 1)];
  }

  it('is a network fault when something else answered', async () => {
    const html = '<html><body>Please log in</body></html>';
    const api = await rawApi(
      http(200, { 'content-type': 'text/html' }, html),
      http(200, { 'content-type': 'application/json' }, '{"ok":tru'),
      http(200, { 'content-type': 'application/json' }, '{"type":"message","content":[]}'),
      sse('event: message_start\ndata: {"type":"message_st\n\n'),
      sse('event: message_start\ndata: null\n\nevent: message_stop\ndata: 7\n\n'),
      sse(''),
      http(204, {}, ''),
      http(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }, 'not gzip at all'),
    );
    const model = modelAt(api.url);
    const portal = await failure(model.send(REQUEST, never));
    expect(portal).toMatchObject({ fault: 'network', billable: false });
    expect(portal.message).toContain('text/html');
    for (let more = 1; more < 8; more++) {
      expect((await failure(model.send(REQUEST, never))).fault).toBe('network');
    }
  });

  it('is refused when its bytes are no UTF-8, and when it does not end', async () => {
    const bad = Buffer.from(events(START, ...TEXT, ...DONE));
    bad[bad.indexOf('Hi')] = 0xff;
    const flood = Buffer.alloc(200_000, 'x');
    const api = await rawApi(sse(bad), sse(Buffer.concat([Buffer.from(events(START)), flood])));
    const model = modelAt(api.url, { maxAnswerBytes: 100_000 });
    expect((await failure(model.send(REQUEST, never))).fault).toBe('network');
    const endless = await failure(model.send(REQUEST, never));
    expect(endless.fault).toBe('network');
    expect(endless.message).toContain('100000 bytes');
  });
});

describe('a request', () => {
  it('is streamed with two cache breakpoints, and the same one gives the same bytes', async () => {
    const api = await rawApi(caseStream('FC-001-cut-mid-json.sse'), caseStream('FC-000-ok-end-turn.sse'));
    const model = modelAt(api.url);
    await failure(model.send(REQUEST, never));
    await model.send(REQUEST, never);
    expect(api.paths).toEqual(['/v1/messages', '/v1/messages']);
    expect(api.bodies[1]).toBe(api.bodies[0]);
    expect(JSON.parse(api.bodies[0] ?? '')).toEqual({
      model: 'claude-sonnet-4-6',
      max_tokens: 8192,
      stream: true,
      system: [{ type: 'text', text: 'You build an app.', cache_control: { type: 'ephemeral' } }],
      tools: REQUEST.tools,
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Feature: F-001', cache_control: { type: 'ephemeral' } }],
        },
      ],
    });
  });

  it('is counted without being sent', async () => {
    const api = await rawApi(
      http(200, { 'content-type': 'application/json' }, '{"input_tokens": 321}'),
      http(200, { 'content-type': 'application/json' }, '{"input_tokens": null}'),
      apiError(429, 'rate_limit_error', 'slow down'),
    );
    const model = modelAt(api.url);
    expect(await model.countTokens(REQUEST, never)).toBe(321);
    expect(api.paths).toEqual(['/v1/messages/count_tokens']);
    expect((await failure(model.countTokens(REQUEST, never))).fault).toBe('network');
    expect((await failure(model.countTokens(REQUEST, never))).fault).toBe('rate_limit');
  });
});
