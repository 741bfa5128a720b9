import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { loadPrompt } from '../../harness/context/prompts.js';
import { type SessionToolParts, sessionTools } from '../../harness/runner/session-tools.js';
import { makeTempApp, type TempApp } from '../support/temp-app.js';

let temp: TempApp;
beforeEach(async () => {
  temp = await makeTempApp();
});
afterEach(() => temp.dispose());

/** Only what the model reads is looked at here; nothing is called. */
function toolsOf(kind: 'initializer' | 'executor') {
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
    verify,
    finish,
  });
}

describe('what every request begins with', () => {
  it('is the same in all kinds of sessions', () => {
    expect(JSON.stringify(toolsOf('initializer').definitions)).toBe(
      JSON.stringify(toolsOf('executor').definitions),
    );
  });

  it('has at most 10,000 characters: system prompt and tool definitions', () => {
    expect(
      loadPrompt('system').length + JSON.stringify(toolsOf('executor').definitions).length,
    ).toBeLessThanOrEqual(10_000);
  });
});
