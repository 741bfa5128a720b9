import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settingsFromFlags } from '../../harness/config/flags.js';
import { resolveSettings, SETTINGS, type Settings } from '../../harness/config/settings.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'settings-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function resolve(parts: {
  flags?: Partial<Record<keyof Settings, unknown>>;
  operator?: unknown;
  app?: unknown;
}): Settings {
  const file = (name: string, content: unknown) => {
    if (content === undefined) return null;
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  return resolveSettings({
    flags: parts.flags ?? {},
    operatorFile: file('config.json', parts.operator),
    appFile: file('longhaul.config.json', parts.app),
  });
}

describe('settings', () => {
  it('are the defaults when nothing is given', () => {
    expect(resolve({})).toMatchObject({
      budgetUsd: 20,
      attempts: 3,
      patience: 7,
      turns: 200,
      sessionMinutes: 90,
    });
  });

  it('come from flags before the app before the operator', () => {
    const settings = resolve({
      flags: { attempts: 4 },
      app: { attempts: 5, patience: 11 },
      operator: { attempts: 2, patience: 12, turns: 50 },
    });
    expect(settings).toMatchObject({ attempts: 4, patience: 11, turns: 50 });
  });

  it.each([
    ['an unknown key', { operator: { patients: 3 } }, /patients, which is no setting/],
    [
      'a word for a number',
      { operator: { turns: 'many' } },
      /turns to "many", but it must be a whole number from 1 to 2000/,
    ],
    ['a number out of range', { flags: { budgetUsd: -5 } }, /--budget is -5, but/],
    ['a broken number', { flags: { turns: 1.5 } }, /whole number/],
    ['an empty model', { flags: { model: ' ' } }, /it must be a name/],
    ['a list', { operator: [] }, /must hold a JSON object/],
    ['no JSON', { operator: '{' }, /is not JSON/],
    [
      'a patience that two features would use up',
      { flags: { patience: 6, attempts: 3 } },
      /Set patience to 7 or more/,
    ],
  ])('refuse %s with a sentence', (_, parts, sentence) => {
    expect(() => resolve(parts)).toThrow(
      expect.objectContaining({ code: 'refused', message: expect.stringMatching(sentence) }),
    );
  });

  it.each((Object.keys(SETTINGS) as (keyof Settings)[]).filter(name => !SETTINGS[name].harmless))(
    "never take %s from the app's file, where the agent can write",
    name => {
      expect(() => resolve({ app: { [name]: SETTINGS[name].default } })).toThrow(
        /lies where the agent can write/,
      );
    },
  );
});

describe('flags', () => {
  it('become settings of their kind', () => {
    expect(settingsFromFlags({ budget: '0.5', model: 'claude-haiku-4-5', 'session-minutes': '5' })).toEqual({
      budgetUsd: 0.5,
      model: 'claude-haiku-4-5',
      sessionMinutes: 5,
    });
  });

  it.each([
    [{ budget: 'much' }, /--budget must be a number, not "much"/],
    [{ budget: '' }, /--budget must be a number/],
    [{ budget: '1e3' }, /--budget must be a number, not "1e3"/],
    [{ budget: '0x10' }, /--budget must be a number/],
    [{ budget: '0,5' }, /--budget must be a number/],
    [{ budget: '$5' }, /--budget must be a number/],
    [{ turns: ['1', '2'] }, /--turns is given 2 times/],
    [{ turns: 'Infinity' }, /--turns must be a number/],
  ])('refuse %j', (args, sentence) => {
    expect(() => settingsFromFlags(args)).toThrow(sentence);
  });
});
