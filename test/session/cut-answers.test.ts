import { describe, expect, it } from 'vitest';
import { patientModel } from '../../harness/model/patient-model.js';
import type { Reply } from '../../harness/standin/scenario.js';
import { call, recorded } from '../../harness/standin/scripted.js';
import type { Tool } from '../../harness/tools/tool.js';
import { caseText } from '../support/cases.js';
import { FakeClock } from '../support/fake-clock.js';
import { playSession } from './play.js';

/** Every so many bytes; `test/model/cut-streams.test.ts` takes every byte, without a session around it. */
const STEP = 23;

describe('a session whose answer is cut again and again, each time a little later', () => {
  it.each([
    ['FC-000-ok-tool-use.sse', ['bash {"command":"ls -1"}']],
    ['FC-008-ping-long.sse', ['bash {"command":"echo survived-the-pings"}']],
    ['FC-017-thinking-tool.sse', ['bash {"command":"ls src"}']],
    ['FC-020-noarg-tool.sse', ['browser_snapshot {}']],
    ['FC-119-same-call-forever.sse', ['bash {"command":"git status"}']],
    ['FC-010-max-tokens-in-tool.sse', []],
    ['FC-011-two-tools-second-cut.sse', []],
    ['FC-014-pause-turn.sse', []],
  ])('runs its call once, when it is whole, and keeps nothing of the others: %s', async (name, calls) => {
    const whole = caseText(name).replace(/^: @.*\n?/gm, '');
    const ran: string[] = [];
    const noting = (tool: string): Tool => ({
      name: tool,
      description: `The ${tool} tool.`,
      schema: { type: 'object', properties: { command: { type: 'string' } }, additionalProperties: false },
      access: () => 'write',
      run: async input => {
        ran.push(`${tool} ${JSON.stringify(input)}`);
        if (tool !== 'finish') return { text: 'ok' };
        return { text: 'over', end: { kind: 'finished', outcome: 'done', summary: '', blockedBy: [] } };
      },
    });
    const cuts = Math.ceil(whole.length / STEP);
    const { end, requests } = await playSession(
      ({ count }): Reply => {
        if (count > cuts + 1) return call('finish', {});
        // A body that ends inside a line is dropped there, one that ends with a line is closed.
        return recorded(count > cuts ? whole : whole.slice(0, (count - 1) * STEP));
      },
      {
        tools: ['bash', 'browser_snapshot', 'finish'].map(noting),
        wrap: model => patientModel(model, { clock: new FakeClock({ jumps: true }), random: () => 0 }),
      },
    );
    expect(end).toMatchObject({ reason: 'finished', turns: 2 });
    expect(ran).toEqual([...calls, 'finish {}']);
    expect(new Set(requests.slice(0, cuts + 1).map(({ text }) => text)).size).toBe(1);
    expect(requests).toHaveLength(cuts + 2);
  });
});
