import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { loadPrompt } from '../../harness/context/prompts.js';
import { TRAINED_TYPES } from '../../harness/model/trained-tools.js';
import { sessionPrefix } from '../../harness/runner/session-prefix.js';
import { type SessionToolParts, sessionTools } from '../../harness/runner/session-tools.js';
import { NO_TRAINED_TYPES } from '../../harness/tools/tool-definitions.js';
import { makeTempApp, type TempApp } from '../support/temp-app.js';

let temp: TempApp;
beforeEach(async () => {
  temp = await makeTempApp();
});
afterEach(() => temp.dispose());

const ALL = new Set(TRAINED_TYPES);
const FORMS = [
  ['our own schemas', NO_TRAINED_TYPES],
  ['trained types', ALL],
] as const;

/** Only what the model reads is looked at here; nothing is called. */
function toolsOf(kind: 'initializer' | 'executor', acceptedTypes: SessionToolParts['acceptedTypes']) {
  const unused = {} as never;
  const finish = { kind, failing: new Set<string>(), accept: async () => [] };
  const verify = kind === 'executor' ? (unused as SessionToolParts['verify']) : null;
  return sessionTools({
    app: temp.app,
    clock: systemClock,
    shell: unused,
    room: unused,
    browser: unused,
    baseUrl: '',
    rg: null,
    commandMs: 1,
    acceptedTypes,
    verify,
    finish,
  });
}

describe.each(FORMS)('what every request begins with, by %s,', (_, accepted) => {
  it('is the same in all kinds of sessions, and known before any session', () => {
    const told = JSON.stringify(sessionPrefix(accepted).tools);
    expect(JSON.stringify(toolsOf('initializer', accepted).definitions)).toBe(told);
    expect(JSON.stringify(toolsOf('executor', accepted).definitions)).toBe(told);
  });

  it('has at most 10,000 characters: system prompt and tool definitions', () => {
    const { system, tools } = sessionPrefix(accepted);
    expect(system.length + JSON.stringify(tools).length).toBeLessThanOrEqual(10_000);
  });

  it('tells of every tool what it is for', () => {
    const { system, tools } = sessionPrefix(accepted);
    const all = JSON.stringify([system, tools]);
    for (const name of ['bash', 'text_editor', 'browser', 'search', 'verify_feature', 'finish_session'])
      expect(all).toContain(JSON.stringify(loadPrompt(`tools/${name}`)).slice(1, -1));
  });
});

describe('the form of a tool', () => {
  it('is our own schema by default', () => {
    const { system, tools } = sessionPrefix(NO_TRAINED_TYPES);
    expect(system).toBe(loadPrompt('system'));
    expect(tools.every(tool => 'input_schema' in tool)).toBe(true);
    expect(tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name).sort());
  });

  it('is the trained type where that is accepted, and only there', () => {
    const { system, tools } = sessionPrefix(new Set(['bash_20250124']));
    expect(tools).toContainEqual({ type: 'bash_20250124', name: 'bash' });
    expect(tools.map(({ name }) => name)).toContain('text_editor');
    expect(system).toContain('# The tool bash\n');
    expect(system).not.toContain('str_replace_based_edit_tool');
  });

  it('stays our own for the browser, whose toolset has no driver here', () => {
    const { tools } = sessionPrefix(ALL);
    expect(tools.find(({ name }) => name === 'browser')).toHaveProperty('input_schema');
    expect(tools).toContainEqual({ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' });
    expect(tools).toHaveLength(7);
  });

  it.each(FORMS)('does not matter to the check of a call: %s', (_, accepted) => {
    const tools = toolsOf('executor', accepted);
    for (const name of ['text_editor', 'str_replace_based_edit_tool']) {
      const view = { command: 'view', path: 'a.ts', view_range: [1, 2] };
      expect(tools.check(name, view)).toMatchObject({ ok: true, tool: { name: 'text_editor' } });
      expect(tools.check(name, { command: 'undo_edit', path: 'a.ts' })).toMatchObject({ ok: false });
    }
    expect(tools.check('bash', { restart: true })).toMatchObject({ ok: true });
    expect(tools.check('bash', { command: 'ls', timeoutSeconds: 5 })).toMatchObject({ ok: true });
    expect(tools.check('bash', { restart: 'yes' })).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/restart must be boolean.*It takes bash\(/),
    });
  });
});
