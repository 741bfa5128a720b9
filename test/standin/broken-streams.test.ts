import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../harness/base/clock.js';
import { systemClock } from '../../harness/base/clock.js';
import { recordedHttp } from '../../harness/standin/recorded-answer.js';
import { call, cut, inOrder, recorded, say, scripted } from '../../harness/standin/scripted.js';
import { type Standin, startStandin } from '../../harness/standin/server.js';
import { standinFor } from '../support/standin.js';
import { ask, clientOf, params } from './client.js';

const LONG = say('word '.repeat(400));

/** Bytes of the stream up to the middle of the text's deltas. */
const MIDDLE = 2600;

/** What the SDK says of a connection that was dropped in the middle. */
const DROPPED = 'terminated';

describe('a stream that is cut', () => {
  test('by a clean end is no message', async () => {
    const standin = await standinFor(() => cut(LONG, MIDDLE, 'close'));
    await expect(ask(standin)).rejects.toThrow('without producing a Message');
  });

  test('by a dropped connection is an error, after every byte that came before it', async () => {
    const standin = await standinFor(inOrder(cut(LONG, MIDDLE, 'close'), cut(LONG, MIDDLE, 'reset')));
    const heard = async () => {
      let text = '';
      const stream = clientOf(standin).messages.stream(params());
      stream.on('text', delta => {
        text += delta;
      });
      const error: Error = await stream.finalMessage().catch(thrown => thrown);
      return { text, error: error.message };
    };
    const closed = await heard();
    const dropped = await heard();
    expect(dropped.error).toBe(DROPPED);
    expect(dropped.text.length).toBeGreaterThan(100);
    expect(dropped.text).toBe(closed.text);
  });

  test('by silence stays open until the client gives up', async () => {
    const standin = await standinFor(() => cut(LONG, MIDDLE, 'hang'));
    const stream = clientOf(standin).messages.stream(params());
    const ended = stream.done().catch(error => error);
    await new Promise(resolve => stream.once('text', resolve));

    const first = await Promise.race([ended, systemClock.sleep(150).then(() => 'still open')]);
    stream.abort();

    expect(first).toBe('still open');
    expect(await ended).toBeInstanceOf(Anthropic.APIUserAbortError);
  });

  test('before its first byte has a head and no more', async () => {
    const standin = await standinFor(() => cut(LONG, 0, 'close'));
    const stream = clientOf(standin).messages.stream(params());
    await expect(stream.done()).rejects.toThrow();
    expect(stream.request_id).toMatch(/^req_standin_/);
  });

  test('inside a tool call leaves no message to run it from', async () => {
    const standin = await standinFor(() => cut(call('bash', { command: 'x'.repeat(300) }), 1500, 'reset'));
    await expect(ask(standin)).rejects.toThrow(DROPPED);
  });

  test('costs its prompt and the deltas that went out', async () => {
    const standin = await standinFor(inOrder(cut(LONG, MIDDLE, 'close'), cut(LONG, MIDDLE, 'hang'), LONG));
    let seen = 0;
    const stream = clientOf(standin).messages.stream(params());
    stream.on('text', delta => {
      seen += delta.length;
    });
    await stream.done().catch(() => {});
    const silent = clientOf(standin).messages.stream(params());
    await new Promise(resolve => silent.once('text', resolve));
    await until(() => standin.billed.length === 2);
    silent.abort();
    await silent.done().catch(() => {});
    await ask(standin);

    const [cutOff, hung, whole] = standin.billed;
    expect(cutOff).toMatchObject({ request: 1, whole: false });
    expect(cutOff?.usage.output_tokens).toBe(Math.ceil(seen / 4));
    expect(cutOff?.usage.input_tokens).toBe(whole?.usage.input_tokens);
    expect(hung).toMatchObject({ request: 2, whole: false, usage: cutOff?.usage });
    expect(whole).toMatchObject({ request: 3, whole: true, usage: { output_tokens: 500 } });
  });

  test('costs its prompt even if the client heard nothing', async () => {
    const standin = await standinFor(inOrder(cut(LONG, 0, 'reset'), say('Hi.')));
    await ask(standin).catch(() => {});
    await ask(standin);
    const [first, second] = standin.billed;
    expect(first?.usage).toEqual(second?.usage);
  });

  test('and does not stream breaks off in the middle of its JSON', async () => {
    const standin = await standinFor(() => cut(LONG, 200, 'reset'));
    await expect(clientOf(standin).messages.create({ ...params(), stream: false })).rejects.toThrow();
    expect(standin.billed[0]?.usage.output_tokens).toBe(500);
  });
});

test('close ends silent and waiting answers at once', async () => {
  const standin = await startStandin({
    scenario: scripted('test', inOrder(cut(LONG, MIDDLE, 'hang'), { ...say('Late.'), delayMs: 3_600_000 })),
  });
  const stream = clientOf(standin).messages.stream(params());
  const first = stream.done().catch(error => error);
  await new Promise(resolve => stream.once('text', resolve));
  const second = ask(standin).catch(error => error);
  await until(() => standin.requests.length === 2);

  await standin.close();

  expect(await first).toBeInstanceOf(Error);
  expect(await second).toBeInstanceOf(Error);
});

test('a client that leaves while its answer waits is still billed for its prompt', async () => {
  const standin = await standinFor(() => ({ ...say('Late.'), delayMs: 3_600_000 }));
  const stream = clientOf(standin).messages.stream(params());
  const ended = stream.done().catch(error => error);
  await until(() => standin.requests.length === 1);
  stream.abort();
  await ended;
  await until(() => standin.billed.length === 1);
  expect(standin.billed).toMatchObject([{ whole: false, usage: { output_tokens: 1 } }]);
});

test('a reply can wait before its first byte', async () => {
  const sleeps: number[] = [];
  const standin = await standinFor(() => ({ ...say('Hi.'), delayMs: 700 }), { clock: noting(sleeps) });
  expect((await ask(standin)).stop_reason).toBe('end_turn');
  expect(sleeps).toEqual([700]);
});

describe('a recorded stream', () => {
  const START =
    'event: message_start\n' +
    'data: {"type":"message_start","message":{"id":"msg_@n","type":"message","role":"assistant","model":"some-model","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1500,"output_tokens":2}}}\n\n';
  const TEXT =
    'event: content_block_start\n' +
    'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n' +
    'event: content_block_delta\n' +
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Twelve bytes"}}\n\n' +
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n';
  const END =
    'event: message_delta\n' +
    'data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}}\n\n' +
    'event: message_delta\n' +
    'data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":41}}\n\n' +
    'event: message_stop\ndata: {"type":"message_stop"}\n\n';

  test('is sent as it is, with its counter and the model that was asked for', async () => {
    const standin = await standinFor(() => recorded(START + TEXT + END));
    const [one, two] = [await ask(standin), await ask(standin)];
    expect([one.id, two.id]).toEqual(['msg_1', 'msg_2']);
    expect(one.model).toBe(params().model);
    expect(one.usage).toMatchObject({ input_tokens: 1500, output_tokens: 41 });
  });

  test('is billed as it reports, running totals not added up', async () => {
    const standin = await standinFor(() => recorded(START + TEXT + END));
    await ask(standin);
    expect(standin.billed).toMatchObject([
      { whole: true, usage: { input_tokens: 1500, output_tokens: 41, cache_read_input_tokens: 0 } },
    ]);
  });

  test('that breaks off is billed for its start and the deltas sent', async () => {
    const standin = await standinFor(() => recorded(`${START}${TEXT}: @reset here\n${END}`));
    await expect(ask(standin)).rejects.toThrow(DROPPED);
    expect(standin.billed).toMatchObject([{ whole: false, usage: { input_tokens: 1500, output_tokens: 3 } }]);
  });

  test('that ends inside a line is dropped there', async () => {
    const standin = await standinFor(() => recorded(START + TEXT.slice(0, -30)));
    await expect(ask(standin)).rejects.toThrow(DROPPED);
    expect(standin.billed).toMatchObject([{ whole: false }]);
  });

  test('sleeps where it is told to, and never sends its orders', async () => {
    const sleeps: number[] = [];
    const standin = await standinFor(
      () => recorded(`${START}: @sleep 20\n${TEXT}: @sleep 1.5 more\n${END}`),
      {
        clock: noting(sleeps),
      },
    );
    const response = await rawStream(standin);
    expect(await response.text()).not.toContain('@sleep');
    expect(sleeps).toEqual([20_000, 1500]);
  });

  test('hangs where it is told to', async () => {
    const standin = await standinFor(() => recorded(`${START}${TEXT}: @hang keep the socket open`));
    const stream = clientOf(standin).messages.stream(params());
    const ended = stream.done().catch(() => 'ended');
    await new Promise(resolve => stream.once('text', resolve));
    expect(await Promise.race([ended, systemClock.sleep(150).then(() => 'still open')])).toBe('still open');
    stream.abort();
  });

  test('that carries an error event is that error', async () => {
    const body = `${START}event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n`;
    const standin = await standinFor(() => recorded(body));
    await expect(ask(standin)).rejects.toMatchObject({ type: 'overloaded_error' });
    expect(standin.billed).toMatchObject([{ whole: false, usage: { input_tokens: 1500, output_tokens: 2 } }]);
  });
});

describe('a recorded HTTP answer', () => {
  const LIMIT =
    'HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nrequest-id: req_own\r\n' +
    'anthropic-ratelimit-requests-reset: @now+20s\r\nx-epoch: @epoch+14400s\r\nx-count: @n\r\ncontent-length: 999\r\n\r\n' +
    '{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}';

  test('keeps its status and headers, with the times of the moment', async () => {
    const now = Date.UTC(2026, 0, 1);
    const standin = await standinFor(() => recordedHttp(LIMIT), {
      clock: { ...systemClock, now: () => now },
    });
    const failure: InstanceType<typeof Anthropic.RateLimitError> = await ask(standin).catch(error => error);
    expect(failure).toBeInstanceOf(Anthropic.RateLimitError);
    expect(failure.requestID).toBe('req_own');
    expect(Object.fromEntries(failure.headers)).toMatchObject({
      'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:20.000Z',
      'x-epoch': String(now / 1000 + 14_400),
      'x-count': '1',
    });
  });

  test('may be no JSON at all', async () => {
    const standin = await standinFor(() => ({
      kind: 'http',
      status: 502,
      headers: { 'Content-Type': 'text/html' },
      body: '<html>Bad gateway</html>',
    }));
    await expect(ask(standin)).rejects.toMatchObject({ status: 502 });
  });

  test('without a status line is refused when it is read', () => {
    expect(() => recordedHttp('hello')).toThrow('not an HTTP answer: it begins with "hello"');
  });
});

/** A clock that notes how long it was asked to sleep and does not. */
function noting(sleeps: number[]): Clock {
  return {
    ...systemClock,
    sleep: async ms => {
      sleeps.push(ms);
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await systemClock.sleep(5);
}

function rawStream(standin: Standin): Promise<Response> {
  return fetch(`${standin.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'a-key', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ ...params(), stream: true }),
  });
}
