import { describe, expect, it } from 'vitest';
import type { Message } from '../../harness/model/model.js';
import type { Reply } from '../../harness/standin/scenario.js';
import { byTurn, call, say } from '../../harness/standin/scripted.js';
import type { Tool } from '../../harness/tools/tool.js';
import { lastText, playSession, textTool } from './play.js';

const FINISH = textTool('finish', 'write', summary => ({
  text: 'over',
  end: { kind: 'finished', outcome: 'done', summary, blockedBy: [] },
}));
const LOOK = textTool('look', 'read', text => ({ text: `${text} [exit code 0, ${Math.random()} s]` }));
const LOCKED = textTool('write', 'write', () => ({ text: 'The folder is locked.', isError: true }));
const CIRCLES = 'going round in circles';

/** Numbers, from 1, of the requests whose last message tells of a loop. */
function toldAt(bodies: { messages: Message[] }[]): number[] {
  return bodies.flatMap((body, index) => (lastText(body).includes(CIRCLES) ? [index + 1] : []));
}

describe('a session that goes round in circles', () => {
  it('is told once with the results, goes on, and is then ended', async () => {
    const { end, bodies, transcript } = await playSession(() => call('look', { text: 'app.log' }), {
      tools: [LOOK],
    });
    expect(end).toMatchObject({
      reason: 'loop',
      turns: 8,
      summary: expect.stringContaining('the same call with the same result 8 times in a row'),
    });
    expect(toldAt(bodies)).toEqual([5]);
    expect(bodies[4]?.messages.at(-1)?.content).toMatchObject([
      { type: 'tool_result' },
      { type: 'text', text: expect.stringContaining('the same call with the same result 4 times in a row') },
    ]);
    const last = transcript()
      .slice(-2)
      .map(line => JSON.parse(line));
    expect(last).toMatchObject([{ type: 'message' }, { type: 'end', reason: 'loop' }]);
  });

  it('of two calls in turn is ended after twelve turns', async () => {
    const { end, bodies } = await playSession(ask => call('look', { text: `${ask.turn % 2}` }), {
      tools: [LOOK],
    });
    expect(end).toMatchObject({ reason: 'loop', turns: 12 });
    expect(toldAt(bodies)).toEqual([9]);
  });

  it('of the same error from other calls is ended after nine', async () => {
    const { end, bodies } = await playSession(ask => call('write', { text: `try ${ask.turn}` }), {
      tools: [LOCKED],
    });
    expect(end).toMatchObject({ reason: 'loop', turns: 9 });
    expect(toldAt(bodies)).toEqual([6]);
  });

  it('FC-119: a thousand equal calls end long before thirty', async () => {
    const bash: Tool = {
      ...textTool('bash', 'write', () => ({ text: 'Not allowed here.', isError: true })),
      schema: { type: 'object', properties: { command: { type: 'string' } }, additionalProperties: false },
    };
    const { end } = await playSession(() => call('bash', { command: 'git status' }), { tools: [bash] });
    expect(end.reason).toBe('loop');
    expect(end.turns).toBeLessThan(30);
  });

  it('goes on as if nothing had been when it turns to something else', async () => {
    const replies: Reply[] = [
      ...Array.from({ length: 6 }, () => call('look', { text: 'same' })),
      ...Array.from({ length: 6 }, (_, n) => call('look', { text: `other ${n}` })),
      call('finish', { text: 'built' }),
    ];
    const { end, bodies } = await playSession(byTurn(...replies), { tools: [LOOK, FINISH] });
    expect(end.reason).toBe('finished');
    expect(toldAt(bodies)).toEqual([5]);
  });

  it('is not told any more when the fourth call is the one that ends it', async () => {
    const { end, transcript } = await playSession(
      byTurn(
        call('look', { text: 'x' }),
        call('look', { text: 'x' }),
        call('look', { text: 'x' }),
        call('finish', { text: 'built' }),
      ),
      { tools: [LOOK, FINISH] },
    );
    expect(end.reason).toBe('finished');
    expect(transcript().join('\n')).not.toContain(CIRCLES);
  });
});

describe('a session that waits', () => {
  it('FC-140: for output that changes is left alone', async () => {
    let percent = 0;
    const waiting = textTool('look', 'read', () => {
      percent += 4;
      return { text: `${percent}%\n[exit code 0, 20.0 s]` };
    });
    const { end, bodies } = await playSession(
      ask => (ask.turn < 20 ? call('look', { text: 'build.log' }) : call('finish', { text: 'built' })),
      { tools: [waiting, FINISH] },
    );
    expect(end).toMatchObject({ reason: 'finished', turns: 21 });
    expect(toldAt(bodies)).toEqual([]);
  });
});

describe('a session that only talks', () => {
  it('is reminded once, then ended', async () => {
    const { end } = await playSession(() => say('I am nearly done.'), { tools: [LOOK] });
    expect(end).toMatchObject({ reason: 'model_stopped', turns: 2 });
  });
});
