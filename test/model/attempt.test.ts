import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PartialCall } from '../../harness/model/model.js';
import { caseText } from '../support/cases.js';
import { events, failure, KEY, modelAt, never, REQUEST, START } from '../support/model-calls.js';
import { apiError, caseAnswer, caseStream, http, rawApi } from '../support/raw-api.js';

describe('time limits', () => {
  // Wide enough for a busy machine: pings come every 100 ms.
  const LIMITS = { idleLimitMs: 1_000, totalLimitMs: 2_500 };

  it('end a stream that falls silent (FC-007), and one whose headers never come', async () => {
    const api = await rawApi(caseStream('FC-007-silent-stall.sse'), () => {});
    const model = modelAt(api.url, LIMITS);
    const silent = await failure(model.send(REQUEST, never));
    expect(silent).toMatchObject({ fault: 'network', billable: true });
    expect(silent.usage?.input_tokens).toBeGreaterThan(0);
    expect(silent.message).toContain('silent for 1 s');
    expect(await failure(model.send(REQUEST, never))).toMatchObject({
      fault: 'network',
      billable: true,
      usage: undefined,
    });
  });

  it('end a stream of nothing but pings only at the total limit (FC-008)', async () => {
    let pings = 0;
    const api = await rawApi(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(events(START));
      const timer = setInterval(() => {
        pings++;
        response.write(events({ type: 'ping' }));
      }, 100);
      response.on('close', () => clearInterval(timer));
    });
    const error = await failure(modelAt(api.url, LIMITS).send(REQUEST, never));
    expect(error.message).toContain('not finished after 2.5 s');
    expect(pings).toBeGreaterThan(5);
  });

  it('let a slow answer through that shows its life by pings (FC-008)', async () => {
    const [head = '', tail = ''] = caseText('FC-008-ping-long.sse').split(
      /(?:: @sleep 20\nevent: ping\n.*\n\n)+/,
    );
    const api = await rawApi(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(head);
      let pings = 0;
      const timer = setInterval(() => {
        response.write(events({ type: 'ping' }));
        if (++pings < 15) return;
        clearInterval(timer);
        response.end(tail);
      }, 100);
    });
    const answer = await modelAt(api.url, { idleLimitMs: 1_000, totalLimitMs: 20_000 }).send(REQUEST, never);
    expect(answer.content).toMatchObject([{ input: { command: 'echo survived-the-pings' } }]);
    expect(api.bodies.length).toBe(1);
  });

  it('of fetch itself are switched off', async () => {
    const symbol = Symbol.for('undici.globalDispatcher.1');
    const installed = Reflect.get(globalThis, symbol);
    const seen: unknown[] = [];
    const spy = {
      dispatch: (options: { headersTimeout?: number; bodyTimeout?: number }, handler: unknown) => {
        seen.push([options.headersTimeout, options.bodyTimeout]);
        return installed.dispatch(options, handler);
      },
    };
    Reflect.set(globalThis, symbol, spy);
    onTestFinished(() => void Reflect.set(globalThis, symbol, installed));
    const api = await rawApi(caseStream('FC-000-ok-end-turn.sse'));
    await modelAt(api.url).send(REQUEST, never);
    expect(seen).toEqual([[0, 0]]);
  });
});

describe('a signal', () => {
  it('ends a call at once with its reason, and what was spent is told', async () => {
    const api = await rawApi(caseStream('FC-007-silent-stall.sse'));
    const stop = new AbortController();
    const partials: PartialCall[] = [];
    const call = modelAt(api.url, { idleLimitMs: 60_000 }).send(REQUEST, stop.signal, partial =>
      partials.push(partial),
    );
    setTimeout(() => stop.abort(new Error('Ctrl-C')), 300);
    await expect(call).rejects.toThrow('Ctrl-C');
    expect(partials).toHaveLength(1);
    expect(partials[0]).toMatchObject({ billable: true, usage: { input_tokens: expect.any(Number) } });
    expect(partials[0]?.receivedBytes).toBeGreaterThan(0);
  });

  it('that has aborted before keeps the request from being sent', async () => {
    const api = await rawApi(caseStream('FC-000-ok-end-turn.sse'));
    const partials: PartialCall[] = [];
    const call = modelAt(api.url).send(REQUEST, AbortSignal.abort(new Error('too late')), partial =>
      partials.push(partial),
    );
    await expect(call).rejects.toThrow('too late');
    expect(api.bodies).toEqual([]);
    expect(partials).toEqual([]);
  });
});

describe('a refusal', () => {
  it.each([
    [400, 'invalid_request_error', 'messages: at least one message is required', 'invalid'],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'too_long'],
    [400, 'invalid_request_error', 'You have reached your specified API usage limits.', 'billing'],
    [401, 'authentication_error', 'invalid x-api-key', 'auth'],
    [402, 'billing_error', 'Payment required', 'billing'],
    [403, 'permission_error', 'Your key cannot use this', 'auth'],
    [404, 'not_found_error', 'model: claude-nobody', 'model'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'too_long'],
    [422, 'invalid_request_error', 'tools.0: bad', 'invalid'],
    [429, 'rate_limit_error', 'Number of requests exceeded', 'rate_limit'],
    [429, 'rate_limit_error', 'This would exceed the spend limit of your workspace', 'billing'],
    [500, 'api_error', 'Internal server error', 'overloaded'],
    [529, 'overloaded_error', 'Overloaded', 'overloaded'],
  ])('%i %s "%s" is %s, costs nothing and is not sent twice', async (status, type, message, fault) => {
    const api = await rawApi(apiError(status, type, message));
    const error = await failure(modelAt(api.url).send(REQUEST, never));
    expect(error).toMatchObject({ fault, status, message, billable: false, usage: undefined });
    expect(api.bodies.length).toBe(1);
  });

  it('of the case library is told in the words of the API (FC-004, FC-005, FC-023)', async () => {
    const api = await rawApi(
      caseAnswer('FC-004-529.http'),
      caseAnswer('FC-005-429-retry-after.http'),
      caseAnswer('FC-023-400-credit.http'),
    );
    const model = modelAt(api.url);
    expect(await failure(model.send(REQUEST, never))).toMatchObject({ fault: 'overloaded', status: 529 });
    expect(await failure(model.send(REQUEST, never))).toMatchObject({
      fault: 'rate_limit',
      retryAfterMs: 20_000,
    });
    const credit = await failure(model.send(REQUEST, never));
    expect(credit.fault).toBe('billing');
    expect(credit.message).toMatch(/^Your credit balance is too low .*credits\.$/);
  });

  it.each(['enforced_spend_limit_reached', 'contract_spend_limit_reached'])(
    'with the code %s needs a person, whatever its status says',
    async code => {
      const api = await rawApi(
        apiError(429, 'rate_limit_error', 'Limit reached', { 'retry-after': '9' }, { error_code: code }),
      );
      expect((await failure(modelAt(api.url).send(REQUEST, never))).fault).toBe('billing');
    },
  );

  it('by a proxy in HTML is named, not quoted', async () => {
    const api = await rawApi(http(502, { 'content-type': 'text/html' }, '<h1>Bad\nGateway</h1>'));
    const error = await failure(modelAt(api.url).send(REQUEST, never));
    expect(error).toMatchObject({ fault: 'overloaded', status: 502, billable: false });
    expect(error.message).toBe('HTTP 502 without an error message of the API');
  });

  it('that quotes the key does not pass it on', async () => {
    const api = await rawApi(apiError(401, 'authentication_error', `no such key: ${KEY}`));
    expect((await failure(modelAt(api.url).send(REQUEST, never))).message).toBe('no such key: [API key]');
  });

  it('of a key that is none comes from us, without quoting it', async () => {
    for (const apiKey of ['', 'sk-test\nX-Evil: 1', 'schlüssel ß']) {
      const error = await failure(modelAt('http://127.0.0.1:9', { apiKey }).send(REQUEST, never));
      expect(error.fault).toBe('auth');
      expect(apiKey === '' || !error.message.includes(apiKey)).toBe(true);
    }
  });
});

describe('a connection', () => {
  it('that is refused costs nothing and names the cause', async () => {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise(resolve => server.close(resolve));
    const error = await failure(modelAt(`http://127.0.0.1:${port}`).send(REQUEST, never));
    expect(error).toMatchObject({ fault: 'network', billable: false });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('to a name that does not exist costs nothing', async () => {
    const error = await failure(modelAt('http://longhaul.invalid').send(REQUEST, never));
    expect(error).toMatchObject({ fault: 'network', billable: false });
  });

  it('to something that speaks no TLS costs nothing', async () => {
    const api = await rawApi(caseStream('FC-000-ok-end-turn.sse'));
    const error = await failure(modelAt(api.url.replace('http:', 'https:')).send(REQUEST, never));
    expect(error).toMatchObject({ fault: 'network', billable: false });
  });

  it('that is lost after sending and before an answer may be billed', async () => {
    const api = await rawApi(response => response.socket?.resetAndDestroy());
    const error = await failure(modelAt(api.url).send(REQUEST, never));
    expect(error).toMatchObject({ fault: 'network', billable: true, usage: undefined, receivedBytes: 0 });
  });

  it('that hangs up inside the TLS handshake costs nothing', async () => {
    const server = createServer(socket => socket.on('error', () => {}).once('data', () => socket.destroy()));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const error = await failure(modelAt(`https://127.0.0.1:${port}`).send(REQUEST, never));
    expect(error).toMatchObject({ fault: 'network', billable: false });
  });
});
