import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import type { Reply } from '../../harness/standin/scenario.js';
import { byTurn, call, calls, cut, type Play, recorded, say } from '../../harness/standin/scripted.js';
import { caseText } from '../support/cases.js';
import { lastText, type PlayOptions, playSession, textTool } from './play.js';

/** What the tools of these tests did, in order. */
let ran: string[];
beforeEach(() => {
  ran = [];
});

const pause = (ms: number) => systemClock.sleep(ms);
const TOOLS = [
  textTool('write', 'write', async text => {
    ran.push(`write ${text} begins`);
    await pause(20);
    ran.push(`write ${text} ends`);
    return { text: `wrote ${text}` };
  }),
  textTool('read', 'read', async text => {
    ran.push(`read ${text} begins`);
    await pause(30);
    ran.push(`read ${text} ends`);
    return { text: `read ${text}` };
  }),
  textTool('finish', 'write', async text => {
    ran.push('finish');
    return { text: 'over', end: { kind: 'finished', outcome: 'done', summary: text, blockedBy: [] } };
  }),
  textTool('silent', 'write', async () => ({ text: '' })),
];

const play = (script: Play, more: Omit<PlayOptions, 'tools'> = {}) =>
  playSession(script, { tools: TOOLS, ...more });

describe('a turn with tool calls', () => {
  it('is answered in one user message, one result for each call, in order', async () => {
    const { bodies, end } = await play(
      byTurn(
        calls([
          ['read', { text: 'a' }],
          ['write', { text: 'b' }],
          ['nothing', {}],
        ]),
        call('finish', { text: 'all done' }),
      ),
    );
    const message = bodies[1]?.messages.at(-1);
    expect(message?.role).toBe('user');
    expect(message?.content).toMatchObject([
      { type: 'tool_result', content: [{ text: 'read a' }] },
      { type: 'tool_result', content: [{ text: 'wrote b' }] },
      { type: 'tool_result', is_error: true },
    ]);
    expect(end).toMatchObject({
      reason: 'finished',
      summary: 'all done',
      turns: 2,
      verdict: { outcome: 'done' },
    });
  });

  it('runs neighbouring reads at the same time and writes one after another', async () => {
    await play(
      byTurn(
        calls([
          ['read', { text: '1' }],
          ['read', { text: '2' }],
          ['write', { text: '3' }],
          ['write', { text: '4' }],
        ]),
        call('finish', { text: 'x' }),
      ),
    );
    expect(ran.slice(0, 2).sort()).toEqual(['read 1 begins', 'read 2 begins']);
    expect(ran.slice(4)).toEqual([
      'write 3 begins',
      'write 3 ends',
      'write 4 begins',
      'write 4 ends',
      'finish',
    ]);
  });

  it('runs nothing behind the call that ended the session', async () => {
    const { end } = await play(
      byTurn(
        calls([
          ['finish', { text: 'x' }],
          ['write', { text: 'late' }],
        ]),
      ),
    );
    expect(end.reason).toBe('finished');
    expect(ran).toEqual(['finish']);
  });

  it('never sends a blank result', async () => {
    const { bodies } = await play(byTurn(call('silent', { text: 'x' }), call('finish', { text: 'x' })));
    expect(lastText(bodies[1])).toContain('(no output)');
  });

  it('tells the model what the observer has to say, behind the results', async () => {
    let told = ['[fact] features.json was put back'];
    const { bodies } = await play(byTurn(call('silent', { text: 'x' }), call('finish', { text: 'x' })), {
      deps: { observer: { turnEnded: () => {}, toolEnded: () => {}, afterTools: () => told.splice(0) } },
    });
    told = [];
    expect(bodies[1]?.messages.at(-1)?.content).toMatchObject([
      { type: 'tool_result' },
      { type: 'text', text: '[fact] features.json was put back' },
    ]);
  });
});

describe('a call that no tool can take', () => {
  it.each([
    [
      'an unknown tool',
      'sh',
      { command: 'ls' },
      'There is no tool sh. The tools are: finish, read, silent, write.',
    ],
    ['a missing argument', 'read', {}, "required property 'text'"],
    ['a wrong type', 'read', { text: 1 }, 'text must be string'],
    ['an argument too many', 'read', { text: 'a', path: 'b' }, 'additional properties: path'],
  ])('is answered with what would work: %s', async (_, name, input, sentence) => {
    const { bodies } = await play(byTurn(call(name, input), call('finish', { text: 'x' })));
    const results = bodies[1]?.messages.at(-1)?.content as {
      is_error: boolean;
      content: { text: string }[];
    }[];
    const result = results[0];
    expect(result?.is_error).toBe(true);
    expect(result?.content[0]?.text).toContain(sentence);
    expect(ran).toEqual(['finish']);
  });

  it('ends the session when it goes on for three turns', async () => {
    const { end, bodies } = await play(() => call('sh', { command: 'ls' }));
    expect(end.reason).toBe('bad_calls');
    expect(bodies).toHaveLength(3);
  });
});

describe('an answer cut at its length limit', () => {
  const cutOff = (content: Extract<Reply, { kind: 'message' }>): Reply => ({
    ...content,
    stopReason: 'max_tokens',
  });

  it('runs no tool, tells the model and goes on', async () => {
    const { bodies, end } = await play(
      byTurn(
        cutOff(
          calls([
            ['write', { text: 'a' }],
            ['write', { text: 'b' }],
          ]),
        ),
        call('finish', { text: 'x' }),
      ),
    );
    expect(ran).toEqual(['finish']);
    const results = bodies[1]?.messages.at(-1)?.content as { type: string; is_error: boolean }[];
    expect(results.map(result => result.type)).toEqual(['tool_result', 'tool_result']);
    expect(results.every(result => result.is_error)).toBe(true);
    expect(lastText(bodies[1])).toContain('Your answer was cut.');
    expect(end.reason).toBe('finished');
  });

  it('ends the session when it happens three times in a row', async () => {
    const { end, bodies } = await play(() => cutOff(say('and so on')));
    expect(end.reason).toBe('truncated');
    expect(bodies).toHaveLength(3);
  });

  it('is forgotten after an answer that is whole', async () => {
    const { end } = await play(
      byTurn(
        cutOff(say('one')),
        cutOff(say('two')),
        call('silent', { text: 'x' }),
        cutOff(say('three')),
        cutOff(say('four')),
        call('finish', { text: 'x' }),
      ),
    );
    expect(end.reason).toBe('finished');
  });
});

describe('every other stop reason', () => {
  it('end_turn without a call is reminded once, then ends the session', async () => {
    const { bodies, end } = await play(() => say('All features complete.'));
    expect(lastText(bodies[1])).toContain('Go on.');
    expect(end.reason).toBe('model_stopped');
    expect(bodies).toHaveLength(2);
  });

  it('refusal ends the session and its text goes nowhere', async () => {
    const { end, bodies } = await play(() => ({ ...say('I will not.'), stopReason: 'refusal' }));
    expect(end.reason).toBe('refusal');
    expect(bodies).toHaveLength(1);
  });

  it('pause_turn sends the paused answer back as it is, and not for ever', async () => {
    const { end, bodies } = await play(() => recorded(caseText('FC-014-pause-turn.sse')));
    expect(end).toMatchObject({
      reason: 'fault',
      summary: expect.stringContaining('paused its turn 5 times'),
    });
    expect(bodies).toHaveLength(5);
    expect(bodies[1]?.messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text' }, { type: 'server_tool_use' }],
    });
  });

  it('model_context_window_exceeded ends the session', async () => {
    const { end } = await play(() => ({
      ...call('write', { text: 'x' }),
      stopReason: 'model_context_window_exceeded',
    }));
    expect(end.reason).toBe('context_full');
    expect(ran).toEqual([]);
  });

  it('stop_sequence with a call runs it', async () => {
    const { end } = await play(() => ({ ...call('finish', { text: 'x' }), stopReason: 'stop_sequence' }));
    expect(end.reason).toBe('finished');
  });

  it('one that nobody knows ends the session', async () => {
    const { end } = await play(() => ({
      ...call('write', { text: 'x' }),
      stopReason: 'tired' as 'end_turn',
    }));
    expect(end).toMatchObject({ reason: 'fault', summary: expect.stringContaining('tired') });
    expect(ran).toEqual([]);
  });
});

describe('a broken stream', () => {
  it.each(['close', 'reset'] as const)('runs no tool when it is cut by %s', async how => {
    const whole = call('write', { text: 'x'.repeat(200) });
    await expect(play(() => cut(whole, 700, how)).then(({ end }) => end.reason)).resolves.toBe('fault');
    expect(ran).toEqual([]);
  });
});

describe('limits', () => {
  it('end the session after its turns', async () => {
    const { end, bodies } = await play(() => call('silent', { text: 'x' }), {
      limits: { turns: 4, ms: 60_000 },
    });
    expect(end).toMatchObject({ reason: 'turn_limit', turns: 4 });
    expect(bodies).toHaveLength(4);
  });

  it('end the session after its time', async () => {
    const { end } = await play(() => call('read', { text: 'x' }), { limits: { turns: 1_000, ms: 100 } });
    expect(end.reason).toBe('time_limit');
  });

  it('end it when a person interrupts, also in the middle of an answer', async () => {
    const stop = new AbortController();
    const { end } = await play(
      () => {
        setTimeout(() => stop.abort(), 20);
        return { ...say('slow'), delayMs: 5_000 };
      },
      { signal: stop.signal },
    );
    expect(end.reason).toBe('interrupted');
  });
});

describe('the requests', () => {
  it('have two cache breakpoints, sorted tools, and a prefix that never changes', async () => {
    const { bodies } = await play(
      byTurn(call('silent', { text: '1' }), call('silent', { text: '2' }), call('finish', { text: 'x' })),
    );
    const prefixes = bodies.map(({ messages: _, ...rest }) => JSON.stringify(rest));
    expect(new Set(prefixes).size).toBe(1);
    for (const body of bodies) expect(JSON.stringify(body).match(/"cache_control"/g)).toHaveLength(2);
    const names = (bodies[0] as unknown as { tools: { name: string }[] }).tools.map(each => each.name);
    expect(names).toEqual([...names].sort());
  });

  it('are in the transcript, line by line', async () => {
    const { transcript } = await play(byTurn(call('silent', { text: '1' }), call('finish', { text: 'x' })));
    const types = transcript().map(line => JSON.parse(line).type);
    expect(types).toEqual(['begin', 'answer', 'message', 'answer', 'message', 'end']);
  });
});
