import type Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../harness/base/clock.js';
import {
  type CacheUse,
  LOOKBACK,
  PromptCache,
  SHORTEST_PREFIX_TOKENS,
} from '../../harness/standin/prompt-cache.js';
import {
  type Lifetime,
  type Segment,
  segmentsOf,
  totalTokens,
} from '../../harness/standin/prompt-segments.js';
import { call, say } from '../../harness/standin/scripted.js';
import { standinFor } from '../support/standin.js';
import { ask, assistant, clientOf, params, user } from './client.js';

const MINUTE = 60_000;

/** A clock that stands still until it is told. */
class HandClock implements Clock {
  time = 0;
  now = () => this.time;
  monotonic = () => this.time;
  sleep = systemClock.sleep;
}

function fresh() {
  const clock = new HandClock();
  const cache = new PromptCache(clock);
  return { clock, use: (...segments: Segment[]) => cache.use('owner', segments), cache };
}

/** A segment of so many tokens; a lifetime makes it a breakpoint. */
function part(key: string, tokens: number, breakpoint?: Lifetime): Segment {
  return { path: key, key, tokens, breakpoint, cacheable: true };
}

const use = (read: number, written: number, uncached: number, ttl: Lifetime = '5m'): CacheUse => ({
  read,
  written: { '5m': 0, '1h': 0, [ttl]: written },
  uncached,
});

describe('the prompt cache', () => {
  test('writes up to the last breakpoint and reads it back', () => {
    const { use: ask } = fresh();
    const prompt = [part('system', 2000, '5m'), part('question', 50)];
    expect(ask(...prompt)).toEqual(use(0, 2000, 50));
    expect(ask(...prompt)).toEqual(use(2000, 0, 50));
  });

  test('caches nothing without a breakpoint', () => {
    const { use: ask } = fresh();
    expect(ask(part('system', 5000))).toEqual(use(0, 0, 5000));
    expect(ask(part('system', 5000))).toEqual(use(0, 0, 5000));
  });

  test('caches no prefix that is too short', () => {
    const { use: ask } = fresh();
    const short = part('system', SHORTEST_PREFIX_TOKENS - 1, '5m');
    expect(ask(short)).toEqual(use(0, 0, SHORTEST_PREFIX_TOKENS - 1));
    expect(ask(short)).toEqual(use(0, 0, SHORTEST_PREFIX_TOKENS - 1));
    expect(ask(part('longer', SHORTEST_PREFIX_TOKENS, '5m'))).toEqual(use(0, SHORTEST_PREFIX_TOKENS, 0));
  });

  test('reads nothing once an early segment has changed', () => {
    const { use: ask } = fresh();
    ask(part('system', 2000, '5m'), part('question', 2000, '5m'));
    expect(ask(part('other system', 2000, '5m'), part('question', 2000, '5m'))).toEqual(use(0, 4000, 0));
  });

  test('falls back to an earlier breakpoint when what follows has changed', () => {
    const { use: ask } = fresh();
    ask(part('system', 2000, '5m'), part('one', 1000, '5m'));
    expect(ask(part('system', 2000, '5m'), part('two', 1000, '5m'))).toEqual(use(2000, 1000, 0));
  });

  test('reads what one breakpoint wrote although it has moved on', () => {
    const { use: ask } = fresh();
    ask(part('system', 2000), part('one', 500, '5m'));
    expect(ask(part('system', 2000), part('one', 500), part('two', 300, '5m'))).toEqual(use(2500, 300, 0));
  });

  test.each([
    ['as far back as it looks', LOOKBACK - 1, 2000],
    ['no further', LOOKBACK, 0],
  ])('looks for it %s', (_, between, read) => {
    const { use: ask } = fresh();
    ask(part('system', 2000, '5m'));
    const more = Array.from({ length: between }, (_, index) => part(`more ${index}`, 1));
    const marked = more.map((segment, index) => ({
      ...segment,
      breakpoint: index === between - 1 ? ('5m' as const) : undefined,
    }));
    expect(ask(part('system', 2000), ...marked).read).toBe(read);
  });

  test.each([
    ['5m', 5 * MINUTE],
    ['1h', 60 * MINUTE],
  ] as const)('forgets after %s unless it is used', (ttl, lifetime) => {
    const { clock, use: ask } = fresh();
    const prompt = part('system', 2000, ttl);
    ask(prompt);
    for (let uses = 0; uses < 3; uses++) {
      clock.time += lifetime - 1;
      expect(ask(prompt)).toEqual(use(2000, 0, 0, ttl));
    }
    clock.time += lifetime;
    expect(ask(prompt)).toEqual(use(0, 2000, 0, ttl));
  });

  test('books each lifetime apart', () => {
    const { clock, use: ask } = fresh();
    const prompt = [part('system', 2000, '1h'), part('one', 700, '5m'), part('two', 30)];
    expect(ask(...prompt)).toEqual({ read: 0, written: { '1h': 2000, '5m': 700 }, uncached: 30 });
    clock.time += 6 * MINUTE;
    expect(ask(...prompt)).toEqual({ read: 2000, written: { '1h': 0, '5m': 700 }, uncached: 30 });
  });

  test('is closed to another owner', () => {
    const { cache } = fresh();
    cache.use('one', [part('system', 2000, '5m')]);
    expect(cache.use('two', [part('system', 2000, '5m')])).toEqual(use(0, 2000, 0));
  });

  test('accounts for every token of a growing conversation', () => {
    const turns = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(turns, fc.integer({ min: 0, max: 3000 }), (sizes, system) => {
        const { use: ask } = fresh();
        let before = 0;
        for (let turn = 1; turn <= sizes.length; turn++) {
          const messages = sizes.slice(0, turn).map((size, index) => part(`turn ${index}`, size));
          const last = { ...part('', 0), ...messages.at(-1), breakpoint: '5m' as const };
          const prompt = [part('system', system, '5m'), ...messages.slice(0, -1), last];
          const { read, written, uncached } = ask(...prompt);
          const total = totalTokens(prompt);
          expect(read + written['5m'] + written['1h'] + uncached).toBe(total);
          // Whatever was cached by the last request is read by this one.
          expect(read).toBe(before);
          before = total >= SHORTEST_PREFIX_TOKENS ? total : 0;
        }
      }),
    );
  });
});

describe('the segments of a prompt', () => {
  const cached = { cache_control: { type: 'ephemeral' as const } };
  const tool: Anthropic.Tool = {
    name: 'bash',
    description: 'Runs a command.',
    input_schema: { type: 'object' },
  };

  test('come in the order tools, system, messages', () => {
    const segments = segmentsOf(
      params({ messages: [user('Hi.'), assistant('Yes.'), user('Go.')], system: 'Build.', tools: [tool] }),
    );
    expect(segments.map(({ path }) => path)).toEqual([
      'tools.0',
      'system.0',
      'messages.0.content.0',
      'messages.1.content.0',
      'messages.2.content.0',
    ]);
  });

  test('are the same for a string and for one text block, with or without a breakpoint', () => {
    const keys = [
      params({ messages: [user('Hi.')], system: 'Build.' }),
      params({
        messages: [user([{ type: 'text', text: 'Hi.' }])],
        system: [{ type: 'text', text: 'Build.' }],
      }),
      params({
        messages: [user([{ type: 'text', text: 'Hi.', ...cached }])],
        system: [{ type: 'text', text: 'Build.', ...cached }],
      }),
    ].map(prompt => segmentsOf(prompt).map(({ key }) => key));
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]).toEqual(keys[0]);
  });

  test('keep a key of the input that is called cache_control', () => {
    const withInput = (input: unknown) =>
      segmentsOf(
        params({ messages: [user('Hi.'), assistant([{ type: 'tool_use', id: 'a', name: 'bash', input }])] }),
      );
    expect(withInput({ cache_control: 1 })).not.toEqual(withInput({}));
  });

  test.each([
    ['text', user('Hi.'), 'messages.0.content.0'],
    [
      'a tool result',
      user([{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }]),
      'messages.0.content.0',
    ],
    [
      'no thinking',
      assistant([
        { type: 'text', text: 'Hi.' },
        { type: 'thinking', thinking: 'I', signature: 's' },
      ]),
      'messages.0.content.0',
    ],
  ])('end their automatic breakpoint at %s', (_, message, path) => {
    const segments = segmentsOf({ messages: [message], ...cached });
    expect(segments.filter(({ breakpoint }) => breakpoint).map(segment => segment.path)).toEqual([path]);
  });

  test('count a picture by its size and not by its bytes', () => {
    const data = (width: number, height: number) => {
      const head = Buffer.alloc(100_000);
      Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(head);
      head.writeUInt32BE(width, 16);
      head.writeUInt32BE(height, 20);
      return head.toString('base64');
    };
    const tokens = (width: number, height: number) => {
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: data(width, height) };
      const result = {
        type: 'tool_result' as const,
        tool_use_id: 'a',
        content: [{ type: 'image' as const, source }],
      };
      return [user([{ type: 'image', source }]), user([result])].map(message =>
        totalTokens(segmentsOf({ messages: [message] })),
      );
    };
    expect(tokens(750, 100)).toEqual([100, 110]);
    expect(tokens(5000, 5000)).toEqual([1600, 1610]);
  });
});

describe('through the SDK', () => {
  const system = [{ type: 'text' as const, text: 'Build what the brief says. '.repeat(300) }];
  const cache_control = { type: 'ephemeral' as const };

  test('a conversation with an automatic breakpoint reads all of its last request', async () => {
    const standin = await standinFor(() => call('bash', { command: 'ls' }));
    const messages: Anthropic.MessageParam[] = [user('Feature: F-001')];
    let before = 0;
    for (let turn = 0; turn < 3; turn++) {
      const { content, usage } = await ask(standin, { system, messages, cache_control });
      const counted = await clientOf(standin).messages.countTokens({
        model: params().model,
        system,
        messages,
      });
      expect(usage.cache_read_input_tokens).toBe(before);
      expect(usage.input_tokens).toBe(0);
      expect(before + (usage.cache_creation_input_tokens ?? 0)).toBe(counted.input_tokens);
      expect(usage.cache_creation?.ephemeral_5m_input_tokens).toBe(usage.cache_creation_input_tokens);
      before = counted.input_tokens;
      const results = content.flatMap(block =>
        block.type === 'tool_use'
          ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'ok' }]
          : [],
      );
      messages.push(assistant(content), user(results));
    }
  });

  test('another key, another model or another tool choice finds nothing', async () => {
    const standin = await standinFor(() => say('Hi.'));
    const tools: Anthropic.Tool[] = [{ name: 'bash', input_schema: { type: 'object' } }];
    const request = params({ system, tools, cache_control });
    const read = async (extra = {}, apiKey = 'a-key') => {
      const stream = clientOf(standin, { apiKey }).messages.stream({ ...request, ...extra });
      return (await stream.finalMessage()).usage.cache_read_input_tokens;
    };
    expect(await read()).toBe(0);
    expect(await read()).toBeGreaterThan(1024);
    expect(await read({}, 'another-key')).toBe(0);
    expect(await read({ model: 'claude-opus-5-5' })).toBe(0);
    expect(await read({ tool_choice: { type: 'none' } })).toBe(0);
  });
});
