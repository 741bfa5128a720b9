import { describe, expect, it } from 'vitest';
import type { Message } from '../../harness/model/model.js';
import { byTurn, call, say } from '../../harness/standin/scripted.js';
import { FakeClock } from '../support/fake-clock.js';
import { lastText, playSession, textTool } from './play.js';

const MINUTE = 60_000;
const RUNNING_OUT = 'This session is running out of';

let count = 0;
const WORK = textTool('work', 'write', () => ({ text: `step ${count++}` }));
const FINISH = textTool('finish', 'write', summary => ({
  text: 'over',
  end: { kind: 'finished', outcome: 'done', summary, blockedBy: [] },
}));
const TOOLS = [WORK, FINISH];
const working = () => call('work', { text: 'on' });

/** Numbers, from 1, of the requests whose last message says that something runs out, with what it says. */
function told(bodies: { messages: Message[] }[]): [request: number, words: string][] {
  return bodies.flatMap((body, index): [number, string][] => {
    const text = lastText(body);
    const at = text.indexOf(RUNNING_OUT);
    return at < 0 ? [] : [[index + 1, text.slice(at + RUNNING_OUT.length + 1).split('.')[0] ?? '']];
  });
}

describe('the turns of a session', () => {
  it('are announced with the results five turns before the end, once; then the session ends as before', async () => {
    const { end, bodies } = await playSession(working, {
      tools: TOOLS,
      limits: { turns: 9, ms: 90 * MINUTE },
    });
    expect(end).toMatchObject({ reason: 'turn_limit', turns: 9 });
    expect(told(bodies)).toEqual([[5, 'turns; turns that remain: about 5']]);
    expect(bodies[4]?.messages.at(-1)?.content).toMatchObject([
      { type: 'tool_result' },
      { type: 'text', text: expect.stringContaining('notes') },
    ]);
    // Five answers with that knowledge, and no more.
    expect(bodies).toHaveLength(9);
  });

  it('leave time to wrap up: what is called after the announcement is run', async () => {
    const { end } = await playSession(ask => (ask.turn < 5 ? working() : call('finish', { text: 'saved' })), {
      tools: TOOLS,
      limits: { turns: 8, ms: 90 * MINUTE },
    });
    expect(end).toMatchObject({ reason: 'finished', summary: 'saved' });
  });

  it('are announced with a reminder too, when that is the next message', async () => {
    const { bodies } = await playSession(byTurn(working(), working(), say('Well.'), say('Done.')), {
      tools: TOOLS,
      limits: { turns: 8, ms: 90 * MINUTE },
    });
    expect(bodies[3]?.messages.at(-1)?.content).toMatchObject([
      { type: 'text', text: 'Go on.' },
      { type: 'text', text: expect.stringContaining(RUNNING_OUT) },
    ]);
  });

  it('an answer without a call after the announcement ends the session, with its words', async () => {
    const { end, bodies } = await playSession(
      ask => (ask.turn < 4 ? working() : say('The list works, the form does not yet.')),
      { tools: TOOLS, limits: { turns: 8, ms: 90 * MINUTE } },
    );
    expect(end).toMatchObject({
      reason: 'model_stopped',
      turns: 5,
      summary: expect.stringContaining('Its last words: The list works, the form does not yet.'),
    });
    expect(bodies).toHaveLength(5);
  });

  it('one before the announcement is reminded', async () => {
    const { bodies } = await playSession(byTurn(say('Well.'), call('finish', { text: 'x' })), {
      tools: TOOLS,
      limits: { turns: 40, ms: 90 * MINUTE },
    });
    expect(lastText(bodies[1])).toContain('Go on.');
  });
});

describe('the minutes of a session', () => {
  it('are announced when a tenth is left, and end it when none is', async () => {
    const clock = new FakeClock();
    const slow = textTool('work', 'write', () => {
      clock.advance(4 * MINUTE);
      return { text: `step ${count++}` };
    });
    const { end, bodies } = await playSession(working, {
      tools: [slow],
      limits: { turns: 200, ms: 60 * MINUTE },
      deps: { clock },
    });
    expect(end).toMatchObject({ reason: 'time_limit', turns: 15 });
    expect(told(bodies)).toEqual([[15, 'time (about 4 minutes left); turns that remain: about 1']]);
  });
});

describe('the money of a session', () => {
  it('is announced when it pays five more calls like the last', async () => {
    let usd = 1;
    const { bodies } = await playSession(
      ask => {
        usd -= 0.1;
        return ask.turn < 8 ? working() : call('finish', { text: 'x' });
      },
      { tools: TOOLS, deps: { moneyLeft: () => ({ usd, lastCallUsd: 0.1 }) } },
    );
    expect(told(bodies)).toEqual([[7, 'money; turns that remain: about 4']]);
  });

  it('is never announced where nobody counts it', async () => {
    const { bodies } = await playSession(ask => (ask.turn < 8 ? working() : call('finish', { text: 'x' })), {
      tools: TOOLS,
      deps: { moneyLeft: () => null },
    });
    expect(told(bodies)).toEqual([]);
  });
});

describe('several limits', () => {
  it('are each announced once', async () => {
    let calls = 0;
    const { bodies } = await playSession(working, {
      tools: TOOLS,
      limits: { turns: 12, ms: 90 * MINUTE },
      deps: { moneyLeft: () => ({ usd: ++calls > 18 ? 0.3 : 9, lastCallUsd: 0.1 }) },
    });
    expect(told(bodies).map(([, words]) => words.split(';')[0])).toEqual(['turns', 'money']);
  });
});
