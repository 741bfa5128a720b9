// Recorded troubles of the API, and their neighbours, played to the loop as it is wired: with the one retry layer around it.

import { beforeEach, describe, expect, it } from 'vitest';
import { patientModel, type Wait } from '../../harness/model/patient-model.js';
import { recordedHttp } from '../../harness/standin/recorded-answer.js';
import type { Reply } from '../../harness/standin/scenario.js';
import { call, error, inOrder, recorded } from '../../harness/standin/scripted.js';
import type { Tool } from '../../harness/tools/tool.js';
import { caseText } from '../support/cases.js';
import { FakeClock } from '../support/fake-clock.js';
import { DONE, events, START, TEXT } from '../support/model-calls.js';
import { lastText, type PlayOptions, playSession } from './play.js';

/** What the tools were told to do, in order. */
let ran: string[];
beforeEach(() => {
  ran = [];
});

const COMMAND: Tool['schema'] = { type: 'object', properties: { command: { type: 'string' } } };
const tool = (name: string, schema: Tool['schema'], run: Tool['run']): Tool => ({
  name,
  description: `The ${name} tool.`,
  schema: { ...schema, additionalProperties: false },
  access: () => 'write',
  run,
});
const noting = (name: string, schema: Tool['schema'] = { type: 'object', properties: {} }): Tool =>
  tool(name, schema, async input => {
    ran.push(`${name} ${JSON.stringify(input)}`);
    return { text: 'ok' };
  });
const TOOLS = [
  noting('bash', COMMAND),
  noting('browser_snapshot'),
  tool('finish', { type: 'object', properties: {} }, async () => ({
    text: 'over',
    end: { kind: 'finished', outcome: 'done', summary: 'Over.', blockedBy: [] },
  })),
];
const FINISH = call('finish', {});

const replay = (name: string): Reply =>
  name.endsWith('.http') ? recordedHttp(caseText(name)) : recorded(caseText(name));

/** Plays the replies to a session that waits out what passes, in no time. */
async function play(replies: Reply[], more: Partial<PlayOptions> = {}) {
  const clock = new FakeClock({ jumps: true });
  const waits: Wait[] = [];
  const played = await playSession(inOrder(...replies), {
    tools: TOOLS,
    wrap: model => patientModel(model, { clock, random: () => 0.5, onWaitBegin: wait => waits.push(wait) }),
    ...more,
  });
  return { ...played, waits, slept: clock.slept };
}

/** The blocks of a request's nth message from its end. */
const blocksOf = (body: { messages: { content: unknown }[] } | undefined, fromEnd = 1) =>
  body?.messages.at(-fromEnd)?.content as Record<string, unknown>[];

const start = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, piece: object) => ({ type: 'content_block_delta', index, delta: piece });
const stop = (index: number) => ({ type: 'content_block_stop', index });
const thinking = (index: number, ...signature: string[]) => [
  start(index, { type: 'thinking', thinking: '', signature: '' }),
  delta(index, { type: 'thinking_delta', thinking: 'The list first.' }),
  ...signature.map(text => delta(index, { type: 'signature_delta', signature: text })),
  stop(index),
];
const use = (index: number, json: string, block: object = {}) => [
  start(index, { type: 'tool_use', id: `toolu_${index}`, name: 'bash', input: {}, ...block }),
  ...(json === '' ? [] : [delta(index, { type: 'input_json_delta', partial_json: json })]),
  stop(index),
];
const ended = (stop_reason: string) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];
const answer = (stopReason: string, ...content: object[]): Reply =>
  recorded(events(START, ...content, ...ended(stopReason)));
const LS = '{"command": "touch MUST_NOT_EXIST"}';

describe('an answer that did not come whole', () => {
  const IMPATIENT = { idleLimitMs: 300 };
  const failed = (type: string) => ({ type: 'error', error: { type, message: 'No.' } });
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString();
  const limited = (headers: Record<string, string>) => error(429, 'rate_limit_error', 'Slow down.', headers);

  it.each<[what: string, reply: Reply, fault: Wait['fault'], leastMs: number, mostMs: number]>([
    ['FC-001, cut inside the JSON of a call', replay('FC-001-cut-mid-json.sse'), 'network', 500, 60_000],
    ['FC-002, overload in the middle', replay('FC-002-error-event-midstream.sse'), 'overloaded', 500, 60_000],
    ['FC-004, 529', replay('FC-004-529.http'), 'overloaded', 500, 60_000],
    ['FC-005, 429 with retry-after', replay('FC-005-429-retry-after.http'), 'rate_limit', 20_000, 60_000],
    ['FC-007, silence', replay('FC-007-silent-stall.sse'), 'network', 500, 60_000],
    ['FC-118, cut after a costly start', replay('FC-118-cut-after-costly-start.sse'), 'network', 500, 60_000],
    ['retry-after as a date', limited({ 'retry-after': inSeconds(40) }), 'rate_limit', 20_000, 60_000],
    ['429 without a word of when', limited({}), 'rate_limit', 1_000, 60_000],
    [
      'an overload that says when',
      error(529, 'overloaded_error', 'x', { 'retry-after': '30' }),
      'overloaded',
      30_000,
      60_000,
    ],
    [
      'the page of a proxy',
      { kind: 'http', status: 502, headers: { 'content-type': 'text/html' }, body: '<p>Bad' },
      'overloaded',
      500,
      60_000,
    ],
    [
      'a call that is whole, then an error',
      recorded(events(START, ...use(0, LS), failed('api_error'))),
      'overloaded',
      500,
      60_000,
    ],
    [
      'an error after the stop reason',
      recorded(events(START, ...use(0, LS), ended('tool_use')[0] as object, failed('rate_limit_error'))),
      'rate_limit',
      500,
      60_000,
    ],
    [
      'a call that is whole, then the end of the body',
      recorded(events(START, ...use(0, LS))),
      'network',
      500,
      60_000,
    ],
    [
      'a stop reason and no end',
      recorded(events(START, ...use(0, LS), ended('tool_use')[0] as object)),
      'network',
      500,
      60_000,
    ],
    [
      'an end and no stop reason',
      recorded(events(START, ...use(0, LS), DONE[1] as object)),
      'network',
      500,
      60_000,
    ],
    ['nothing', recorded(''), 'network', 500, 60_000],
  ])(
    'is asked for again with the same bytes, later each time, and nothing of it is run or kept: %s',
    async (what, reply, fault, leastMs, mostMs) => {
      const { end, requests, waits, slept } = await play([reply, reply, reply, FINISH], {
        api: what.includes('silence') ? IMPATIENT : {},
      });
      expect(end).toMatchObject({ reason: 'finished', turns: 1 });
      expect(ran).toEqual([]);
      expect(requests).toHaveLength(4);
      expect(new Set(requests.map(({ text }) => text)).size).toBe(1);
      expect(waits.map(wait => wait.fault)).toEqual([fault, fault, fault]);
      expect(Math.min(...slept)).toBeGreaterThanOrEqual(leastMs);
      expect(Math.max(...slept)).toBeLessThanOrEqual(mostMs);
      if (leastMs === 500) expect(slept[2]).toBeGreaterThan(slept[0] ?? 0);
    },
  );

  it('FC-008: four minutes of pings before a call are waited out, and it runs once', async () => {
    const sleeps: number[] = [];
    const clock = { ...new FakeClock(), now: Date.now, monotonic: () => performance.now() };
    const { end, requests } = await play([replay('FC-008-ping-long.sse'), FINISH], {
      standin: { clock: { ...clock, sleep: async ms => void sleeps.push(ms) } },
    });
    expect(end.reason).toBe('finished');
    expect(ran).toEqual(['bash {"command":"echo survived-the-pings"}']);
    expect(requests).toHaveLength(2);
    expect(sleeps).toEqual(Array(12).fill(20_000));
  });

  it.each<[string, Reply]>([
    ['FC-023, no credit', replay('FC-023-400-credit.http')],
    ['a bad key', error(401, 'authentication_error', 'invalid x-api-key')],
    ['no permission', error(403, 'permission_error', 'not yours')],
    ['an unknown model', error(404, 'not_found_error', 'model: claude-x')],
    ['no credit, told inside a stream', recorded(events(failed('billing_error')))],
  ])('is not asked for again when a person must act: %s', async (_, reply) => {
    const { end, requests, waits } = await play([reply]);
    expect(end.reason).toBe('api_error');
    expect(requests).toHaveLength(1);
    expect(waits).toEqual([]);
  });
});

describe('an answer that reached its length limit', () => {
  it('FC-010: for ever, ends the session at the third, and no call of it is run', async () => {
    const cut = replay('FC-010-max-tokens-in-tool.sse');
    const { end, bodies } = await play([cut, cut, cut]);
    expect(end.reason).toBe('truncated');
    expect(ran).toEqual([]);
    expect(bodies).toHaveLength(3);
    expect(lastText(bodies[2])).toContain('Your answer was cut.');
  });

  it.each<[where: string, reply: Reply, answered: number]>([
    ['FC-010, inside a call', replay('FC-010-max-tokens-in-tool.sse'), 1],
    ['FC-011, inside the second call', replay('FC-011-two-tools-second-cut.sse'), 2],
    ['behind two whole calls', answer('max_tokens', ...use(0, LS), ...use(1, LS)), 2],
    ['inside a call without any input yet', answer('max_tokens', ...use(0, '')), 1],
    ['inside a word', answer('max_tokens', ...TEXT), 0],
    [
      'inside blank text behind a call',
      answer('max_tokens', ...use(0, LS), start(1, { type: 'text', text: ' ' }), stop(1)),
      1,
    ],
    ['inside the thinking, before its signature', answer('max_tokens', ...thinking(0)), 0],
    ['behind the thinking', answer('max_tokens', ...thinking(0, 'c2ln')), 0],
    [
      'inside the second thinking',
      answer('max_tokens', ...thinking(0, 'c2ln'), ...use(1, LS), ...thinking(2)),
      1,
    ],
    [
      'inside hidden thinking',
      answer('max_tokens', start(0, { type: 'redacted_thinking', data: 'c2lu' }), stop(0)),
      0,
    ],
    ['before its first block', answer('max_tokens'), 0],
  ])(
    'runs nothing, is answered so that the next request is valid, and the session goes on: %s',
    async (_, reply, answered) => {
      const { end, bodies } = await play([reply, reply, FINISH]);
      expect(end.reason).toBe('finished');
      expect(ran).toEqual([]);
      for (const body of bodies.slice(1)) {
        expect(JSON.stringify(blocksOf(body))).toContain('Your answer was cut.');
        const results = blocksOf(body).filter(({ type }) => type === 'tool_result');
        expect(results).toHaveLength(answered);
        expect(results.every(({ is_error }) => is_error === true)).toBe(true);
      }
    },
  );
});

describe('an input that is no JSON object', () => {
  const HALF = LS.slice(0, -6);

  it.each([
    ['half of one', HALF],
    ['one with a comma too many', '{"command": "touch MUST_NOT_EXIST",}'],
    ['two of them', `${LS}${LS}`],
    ['JSON in a string', JSON.stringify(LS)],
    ['a list', `[${LS}]`],
    ['null', 'null'],
  ])('in an answer that is whole runs nothing and is told to the model: %s', async (_, json) => {
    const { end, bodies, waits } = await play([answer('tool_use', ...use(0, json)), FINISH]);
    expect(end.reason).toBe('finished');
    expect(ran).toEqual([]);
    expect(waits).toEqual([]);
    expect(blocksOf(bodies[1])).toMatchObject([{ type: 'tool_result', is_error: true }]);
    expect(lastText(bodies[1])).toContain('bash was not run: its input is not one whole JSON object.');
  });

  it('keeps no other call of its turn from being run', async () => {
    const other = use(1, '{"command": "ls"}', { id: 'other' });
    const { bodies } = await play([answer('tool_use', ...use(0, HALF), ...other), FINISH]);
    expect(ran).toEqual(['bash {"command":"ls"}']);
    expect(blocksOf(bodies[1])).toMatchObject([{ is_error: true }, { tool_use_id: 'other' }]);
  });

  it('ends the session when it comes three times in a row', async () => {
    const half = answer('tool_use', ...use(0, HALF));
    expect((await play([half, half, half])).end.reason).toBe('bad_calls');
  });
});

describe('a turn that the API paused', () => {
  it('FC-014: goes back as it is, and the answer joins it', async () => {
    const { end, bodies } = await play([
      replay('FC-014-pause-turn.sse'),
      replay('FC-000-ok-end-turn.sse'),
      FINISH,
    ]);
    expect(end.reason).toBe('finished');
    const paused = [
      { type: 'text', text: 'Looking that up.' },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_fc01401',
        name: 'web_search',
        input: { query: 'vite preview port flag' },
      },
    ];
    expect(bodies[1]?.messages).toHaveLength(2);
    expect(blocksOf(bodies[1])).toMatchObject(paused);
    expect(JSON.stringify(bodies)).not.toContain('tool_result');
    expect(blocksOf(bodies[2], 2)).toMatchObject([...paused, { type: 'text' }]);
  });

  it('with a call of ours in it has that call run and answered', async () => {
    const { end, bodies } = await play([answer('pause_turn', ...use(0, '{"command": "ls"}')), FINISH]);
    expect(end.reason).toBe('finished');
    expect(ran).toEqual(['bash {"command":"ls"}']);
    expect(blocksOf(bodies[1])).toMatchObject([{ type: 'tool_result', tool_use_id: 'toolu_0' }]);
  });

  it('requests no server tool by itself', async () => {
    const { requests } = await play([FINISH]);
    expect(JSON.stringify(requests[0]?.body)).not.toMatch(/web_search|web_fetch|code_execution/);
  });
});

describe('a refusal', () => {
  it.each<[string, Reply]>([
    ['FC-013, after one word', replay('FC-013-refusal.sse')],
    ['with a call in it', answer('refusal', ...use(0, LS))],
    ['without a word', answer('refusal')],
  ])('ends the session at its first request, and runs nothing: %s', async (_, reply) => {
    const { end, requests } = await play([reply]);
    expect(end).toMatchObject({ reason: 'refusal', summary: 'The model refused.' });
    expect(requests).toHaveLength(1);
    expect(ran).toEqual([]);
  });
});

describe('a call without arguments', () => {
  it.each<[string, Reply]>([
    ['FC-020, no JSON at all', replay('FC-020-noarg-tool.sse')],
    [
      'an empty piece',
      answer(
        'tool_use',
        start(0, { type: 'tool_use', id: 't', name: 'browser_snapshot', input: {} }),
        delta(0, { type: 'input_json_delta', partial_json: '' }),
        stop(0),
      ),
    ],
    ['white space', answer('tool_use', ...use(0, ' \n', { name: 'browser_snapshot' }))],
    ['an empty object', answer('tool_use', ...use(0, '{}', { name: 'browser_snapshot' }))],
    [
      'no input in its start either',
      answer('tool_use', ...use(0, '', { name: 'browser_snapshot', input: undefined })),
    ],
    ['null in its start', answer('tool_use', ...use(0, '', { name: 'browser_snapshot', input: null }))],
    ['and no stop reason of its kind', answer('end_turn', ...use(0, '', { name: 'browser_snapshot' }))],
  ])('is run with {} and goes back with {}: %s', async (_, reply) => {
    const { end, bodies } = await play([reply, FINISH]);
    expect(end.reason).toBe('finished');
    expect(ran).toEqual(['browser_snapshot {}']);
    expect(blocksOf(bodies[1], 2)).toMatchObject([{ type: 'tool_use', input: {} }]);
  });
});

describe('half a character', () => {
  const CRABS = `x${'🦀'.repeat(60_000)}`;

  it.each<[where: string, text: string]>([
    ['FC-022, at a cut of the whole', CRABS],
    ['at a cut one byte further', `x${CRABS}`],
    ['at a cut two bytes further', `xx${CRABS}`],
    ['at a cut three bytes further', `xxx${CRABS}`],
    ['the first half in a result', 'a\ud83e b'],
    ['the second half in a result', 'a\udd80 b'],
    ['both in the wrong order', '\udd80\ud83e'],
  ])('from a tool is never sent: %s', async (_, text) => {
    const shows = tool('bash', COMMAND, async () => ({ text }));
    const { end, bodies } = await play([call('bash', { command: 'x' }), FINISH], {
      tools: [shows, ...TOOLS.slice(1)],
    });
    // The stand-in refuses a lone surrogate as the API does.
    expect(end.reason).toBe('finished');
    const sent = lastText(bodies[1]);
    expect(sent.isWellFormed()).toBe(true);
    if (text.length > 100) expect(sent).toMatch(/\d+ bytes left out/);
  });

  it.each<[where: string, reply: Reply]>([
    ['in the input of a call', answer('tool_use', ...use(0, '{"command": "echo \\ud83e"}'))],
    ['in the name of an argument', answer('tool_use', ...use(0, '{"comm\\udd80and": "echo"}'))],
    [
      'in its words',
      answer(
        'tool_use',
        start(0, { type: 'text', text: 'a \ud83e' }),
        stop(0),
        ...use(1, '{"command": "ls"}'),
      ),
    ],
  ])('from the model does not spoil the session: %s', async (_, reply) => {
    expect((await play([reply, FINISH])).end.reason).toBe('finished');
  });

  it('that comes in two pieces is a whole one', async () => {
    const pieces = ['\ud83e', '\udd80'].map(text => delta(0, { type: 'text_delta', text }));
    const words = [start(0, { type: 'text', text: '' }), ...pieces, stop(0)];
    const { bodies } = await play([answer('tool_use', ...words, ...use(1, '{"command": "ls"}')), FINISH]);
    expect(blocksOf(bodies[1], 2)[0]).toMatchObject({ text: '🦀' });
  });

  it('in the brief is never sent', async () => {
    const { end } = await play([FINISH], { firstMessage: 'Feature: F-001\nnotes: \ud83e' });
    expect(end.reason).toBe('finished');
  });
});

describe('an answer that the API would not take back', () => {
  const named = (name: string) => answer('tool_use', ...use(0, '{}', { name }));

  it.each<[what: string, reply: Reply]>([
    ['a name with a dot', named('functions.bash')],
    ['a name with a line break', named('bash\n')],
    ['a name that is a sentence', named('bash: list the files, please. '.repeat(9))],
    ['an id with blanks', answer('tool_use', ...use(0, '{"command": "ls"}', { id: 'call 0:bash' }))],
    ['the same id in each answer', answer('tool_use', ...use(0, '{"command": "ls"}', { id: 'call_0' }))],
    ['thinking as its last word', answer('tool_use', ...use(0, '{"command": "ls"}'), ...thinking(1, 'c2ln'))],
    ['nothing but thinking', answer('end_turn', ...thinking(0, 'c2ln'))],
    ['thinking without a signature', answer('tool_use', ...thinking(0), ...use(1, '{"command": "ls"}'))],
    [
      'blank text between its calls',
      answer('tool_use', start(0, { type: 'text', text: '\n' }), stop(0), ...use(1, '{"command": "ls"}')),
    ],
    ['nothing', answer('end_turn')],
  ])('does not spoil the session: %s', async (_, reply) => {
    const other = answer('tool_use', ...use(0, '{"command": "pwd"}', { id: 'other' }));
    const { end, bodies } = await play([reply, other, reply, FINISH]);
    // Words without a call end a session when they come twice.
    expect(['finished', 'model_stopped']).toContain(end.reason);
    expect(bodies.length).toBeGreaterThanOrEqual(3);
  });

  it('has its thinking sent back as it came', async () => {
    const { end, bodies } = await play([replay('FC-017-thinking-tool.sse'), FINISH]);
    expect(end.reason).toBe('finished');
    expect(blocksOf(bodies[1], 2).map(({ type }) => type)).toEqual([
      'thinking',
      'redacted_thinking',
      'text',
      'tool_use',
    ]);
  });
});

describe('the same call for ever', () => {
  it('FC-119: ends the session long before thirty', async () => {
    const { end } = await play(Array<Reply>(30).fill(replay('FC-119-same-call-forever.sse')));
    expect(end.reason).toBe('loop');
    expect(end.turns).toBeLessThan(30);
  });
});
