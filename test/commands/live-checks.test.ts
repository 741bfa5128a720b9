import { describe, expect, it } from 'vitest';
import type { Finding } from '../../harness/commands/finding.js';
import { liveChecks, worstCase } from '../../harness/commands/live-checks.js';
import { budgeted } from '../../harness/model/budgeted-model.js';
import { capLedger } from '../../harness/model/cap-ledger.js';
import { inputBound } from '../../harness/model/input-bound.js';
import { type Answer, ModelError, type ModelFault, type ModelRequest } from '../../harness/model/model.js';
import { dearestInputCost, outputCost, priceTable } from '../../harness/model/prices.js';

const ADDRESS = 'https://api.example';

/** A request as these tests tell it apart: what its tools are called. */
function kindOf({ tools, system }: ModelRequest): string {
  if (system.length > 0) return tools.some(tool => !('input_schema' in tool)) ? 'trained prefix' : 'prefix';
  return tools.map(({ type }) => type ?? 'custom').join() || 'plain';
}

type Reply = Partial<Record<'read' | 'write', number>> | ModelFault;

/** Asks an API that answers by the kind of a request; all that is not named is answered, the prefix from the cache. */
async function check(replies: Record<string, Reply | Reply[]>, capUsd = 0.05, model = 'claude-opus-5-5') {
  const asked: string[] = [];
  const findings: Finding[] = [];
  const ledger = capLedger(capUsd);
  const replyTo = (request: ModelRequest): Reply => {
    const kind = kindOf(request);
    const reply = replies[kind] ?? (kind.endsWith('prefix') ? [{ write: 2_700 }, { read: 2_700 }] : {});
    return (
      (Array.isArray(reply) ? reply[asked.filter(other => other === kind).length - 1] : reply) ?? 'network'
    );
  };
  const note = (request: ModelRequest) => {
    asked.push(kindOf(request));
    const reply = replyTo(request);
    if (typeof reply === 'string') throw new ModelError(reply, `the API says ${reply}`);
    return reply;
  };
  const api = {
    send: async (request: ModelRequest) => {
      const { read = 0, write = 0 } = note(request);
      const usage = { cache_read_input_tokens: read, cache_creation_input_tokens: write };
      return { content: [], usage: { ...usage, input_tokens: 20, output_tokens: 2 } } as unknown as Answer;
    },
    countTokens: async (request: ModelRequest) => {
      if (request.system.length === 0) note(request);
      return 3_000;
    },
  };
  const verdicts = await liveChecks({
    api: budgeted(api, ledger, { prices: priceTable(), countTokens: api.countTokens }),
    countTokens: api.countTokens,
    address: ADDRESS,
    model,
    signal: new AbortController().signal,
    tell: finding => findings.push(finding),
  });
  return { verdicts, findings, asked, spentUsd: ledger.spentUsd() };
}

describe('an API that takes everything', () => {
  it('is asked once plainly, once for each type, and twice with what sessions begin with', async () => {
    const { verdicts, findings, asked } = await check({});
    expect(asked).toEqual([
      'plain',
      'bash_20250124',
      'text_editor_20250728',
      'trained prefix',
      'trained prefix',
      'browser_toolset_20260801',
    ]);
    expect(verdicts).toEqual({
      bash_20250124: 'accepted',
      text_editor_20250728: 'accepted',
      browser_toolset_20260801: 'accepted',
    });
    expect(findings.every(({ state }) => state === 'ok')).toBe(true);
    expect(findings.at(-1)?.text).toMatch(
      /^accepted; runs do not send it: the browser tool of Longhaul stays/,
    );
    expect(findings.find(({ what }) => what === 'cache')?.text).toContain('read 2700 of 2720 tokens');
  });
});

describe('an API that is not to be used', () => {
  it.each<[ModelFault, string, RegExp]>([
    ['auth', 'api', /refuses the key: the API says auth/],
    ['billing', 'api', /cannot pay/],
    ['model', 'model', /does not know claude-opus-5-5/],
    ['network', 'api', /is not reached/],
    ['rate_limit', 'api', /busy now/],
    ['overloaded', 'api', /busy now/],
    ['invalid', 'api', /refuses a plain request/],
  ])('%s: is asked once, and says nothing about tool types', async (fault, what, text) => {
    const { verdicts, findings, asked } = await check({ plain: fault });
    expect(asked).toEqual(['plain']);
    expect(verdicts).toEqual({});
    expect(findings).toEqual([{ what, state: 'needed', text: expect.stringMatching(text) }]);
    expect(findings[0]?.text).toContain(ADDRESS);
  });
});

describe('a tool type', () => {
  it('that is refused with a 400 is not in what sessions begin with', async () => {
    const { verdicts, findings, asked } = await check({
      bash_20250124: 'invalid',
      text_editor_20250728: 'invalid',
    });
    expect(verdicts).toMatchObject({ bash_20250124: 'refused', text_editor_20250728: 'refused' });
    expect(asked).toContain('prefix');
    expect(asked).not.toContain('trained prefix');
    expect(findings.find(({ what }) => what === 'bash_20250124')).toMatchObject({
      state: 'better',
      text: 'refused, runs do without it: the API says invalid',
    });
  });

  it.each<ModelFault>(['network', 'overloaded', 'auth', 'billing'])(
    'has no verdict when the answer is about something else: %s',
    async fault => {
      const { verdicts, findings } = await check({ bash_20250124: fault });
      expect(verdicts).not.toHaveProperty('bash_20250124');
      expect(verdicts).toHaveProperty('text_editor_20250728', 'accepted');
      expect(findings.find(({ what }) => what === 'bash_20250124')?.text).toContain('not looked at');
    },
  );

  it('that is refused only together with the other tools is refused', async () => {
    const { verdicts, findings } = await check({ 'trained prefix': 'invalid' });
    expect(verdicts).toMatchObject({ bash_20250124: 'refused', text_editor_20250728: 'refused' });
    expect(findings).toContainEqual({
      what: 'prefix',
      state: 'better',
      text: expect.stringContaining('together'),
    });
  });

  it('is not to blame when the prefix is refused without any', async () => {
    const { findings } = await check({
      bash_20250124: 'invalid',
      text_editor_20250728: 'invalid',
      prefix: 'invalid',
    });
    expect(findings.find(({ what }) => what === 'prefix')?.state).toBe('needed');
  });
});

describe('a cache', () => {
  it.each<[string, Reply[], RegExp]>([
    ['that wrote nothing', [{}, {}], /caches nothing as short as 20 tokens/],
    ['that was not read', [{ write: 2_700 }, { write: 2_700 }], /was not read by the second/],
    ['that could not be looked at', [{ write: 2_700 }, 'overloaded'], /not looked at/],
  ])('%s is a note, and the types stay accepted', async (_, replies, text) => {
    const { findings, verdicts } = await check({ 'trained prefix': replies });
    expect(findings).toContainEqual({ what: 'cache', state: 'better', text: expect.stringMatching(text) });
    expect(verdicts.bash_20250124).toBe('accepted');
  });
});

describe('the money', () => {
  it.each([0, 0.004, 0.01, 0.02, 0.03, 0.05])(
    'stays under a cap of $%f, and what is left out is told',
    async cap => {
      const { spentUsd, findings } = await check({}, cap);
      expect(spentUsd).toBeLessThanOrEqual(cap);
      expect(findings.some(({ text }) => /may cost \$/.test(text))).toBe(cap < 0.03);
    },
  );

  it('that is named before is the sum of the bounds of all calls', () => {
    const price = priceTable().priceOf('claude-haiku-4-5');
    const { calls, usd } = worstCase('claude-haiku-4-5', price);
    expect(calls).toBe(5);
    expect(usd).toBeGreaterThan(2 * (dearestInputCost(9_000, price) + outputCost(16, price)));
    expect(usd).toBeLessThan(0.05);
  });
});

describe('the bound of a request', () => {
  it.each([
    [{ type: 'bash_20250124', name: 'bash' } as const, 245],
    [{ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' } as const, 700],
  ])('has room for what the API puts in the place of %j', (tool, documented) => {
    const request = (tools: ModelRequest['tools']) => ({
      model: 'm',
      maxTokens: 1,
      system: [],
      tools,
      messages: [],
    });
    const bytes = Buffer.byteLength(JSON.stringify(tool));
    const more = inputBound(undefined, request([tool])) - inputBound(undefined, request([]));
    expect(more).toBeGreaterThanOrEqual(bytes + documented);
  });
});
