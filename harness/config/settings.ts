// Settings: one table with default, limits and who may set what; flags over the app's file over the operator's file.

import { refuse } from '../base/errors.js';
import { flagOf } from './flag-of.js';
import { PAGE_KEY, pageInAppFile } from './page-settings.js';
import { readSettingsFile } from './settings-file.js';

export interface Settings {
  model: string;
  maxTokens: number;
  budgetUsd: number;
  sessionMinutes: number;
  turns: number;
  attempts: number;
  patience: number;
  maxSessions: number;
  maxFeatures: number;
  setupMinutes: number;
  startSeconds: number;
  commandMinutes: number;
  idleMinutes: number;
  answerMinutes: number;
}

interface NumberSetting {
  type: 'number' | 'integer';
  default: number;
  min: number;
  max: number;
  /** The app's own file may set it: it spends nothing, reaches nothing and runs nothing. */
  harmless: boolean;
  text: string;
}

interface TextSetting {
  type: 'string';
  default: string;
  harmless: false;
  text: string;
}

/** The source of the defaults is the design; limits keep a slip of the finger from becoming a run. */
export const SETTINGS: {
  readonly [K in keyof Settings]: Settings[K] extends string ? TextSetting : NumberSetting;
} = {
  model: { type: 'string', default: 'claude-opus-5-5', harmless: false, text: 'model of all sessions' },
  maxTokens: integer(16_000, 4_096, 128_000, false, 'most tokens of one answer'),
  budgetUsd: {
    type: 'number',
    default: 20,
    min: 0.01,
    max: 100_000,
    harmless: false,
    text: 'dollars that the whole run may cost',
  },
  sessionMinutes: integer(90, 1, 1_440, true, 'minutes of one session'),
  turns: integer(200, 1, 2_000, true, 'answers of the model in one session'),
  attempts: integer(3, 1, 50, true, 'sessions without a pass before a feature is set aside'),
  patience: integer(
    7,
    3,
    500,
    true,
    'sessions in a row that win nothing before the run parks; more than twice attempts',
  ),
  maxSessions: integer(1_000, 1, 100_000, true, 'sessions of the whole run'),
  maxFeatures: integer(300, 1, 300, true, 'entries of features.json'),
  setupMinutes: integer(15, 1, 240, false, 'minutes for `init.sh setup`'),
  startSeconds: integer(120, 1, 3_600, false, 'seconds until the app answers after `init.sh start`'),
  commandMinutes: integer(10, 1, 60, false, 'minutes of one shell command when it names no time of its own'),
  idleMinutes: integer(
    10,
    1,
    60,
    false,
    'minutes of silence after which an answer is given up and asked for again',
  ),
  answerMinutes: integer(30, 1, 240, false, 'minutes that one answer may take in all'),
};

type Given = Partial<Record<keyof Settings, unknown>>;

/**
 * Settings in force. Later sources win: defaults, operator's file, the app's file, flags.
 * @throws LonghaulError `refused` with one sentence for an unknown key, a wrong value, or a key that the app's file may
 *   not set.
 */
export function resolveSettings(sources: {
  flags: Given;
  operatorFile: string | null;
  appFile: string | null;
}): Settings {
  const given: Given = {
    ...readFile(sources.operatorFile, false),
    ...readFile(sources.appFile, true),
    ...checkAll(sources.flags, null, false),
  };
  const settings = Object.fromEntries(
    names().map(name => [name, given[name] ?? SETTINGS[name].default]),
  ) as unknown as Settings;
  if (settings.patience <= 2 * settings.attempts) {
    throw refuse(
      `patience ${settings.patience} must be more than twice attempts ${settings.attempts}: two features that fail would end the run. Set patience to ${2 * settings.attempts + 1} or more.`,
    );
  }
  return settings;
}

/** What the operator's file says of settings. @throws LonghaulError `refused`, as `resolveSettings` does. */
export function operatorSettings(path: string): Partial<Settings> {
  return readFile(path, false) as Partial<Settings>;
}

function readFile(path: string | null, appFile: boolean): Given {
  if (path === null) return {};
  const data = readSettingsFile(path);
  if (data === undefined) return {};
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw refuse(`The settings file ${path} must hold a JSON object, for example { "patience": 9 }.`);
  }
  const { [PAGE_KEY]: page, ...settings } = data as Record<string, unknown>;
  if (page !== undefined && appFile) throw pageInAppFile(path);
  return checkAll(settings, path, appFile);
}

/** @param where the file, or null for the command line. */
function checkAll(data: object, where: string | null, appFile: boolean): Given {
  for (const [name, value] of Object.entries(data)) {
    if (value === undefined) continue;
    if (!isName(name))
      throw refuse(`${where} sets ${name}, which is no setting. Settings are: ${names().join(', ')}.`);
    if (appFile && !SETTINGS[name].harmless) {
      const allowed = names().filter(other => SETTINGS[other].harmless);
      throw refuse(
        `${where} sets ${name}, but that file lies where the agent can write, so it may only set ${allowed.join(', ')}. Give --${flagOf(name)} on the command line or ${name} in the operator's file.`,
      );
    }
    const problem = valueProblem(name, value);
    if (problem) throw refuse(`${sets(name, where)} ${JSON.stringify(value)}, but ${problem}.`);
  }
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}

/** The beginning of a sentence about a value, with the name by which it is given on the command line. */
function sets(name: keyof Settings, where: string | null): string {
  const flag = flagOf(name);
  if (where === null) return `--${flag} is`;
  return `${where} sets ${name}${flag === name ? '' : ` (--${flag} on the command line)`} to`;
}

function valueProblem(name: keyof Settings, value: unknown): string | null {
  const setting = SETTINGS[name];
  if (setting.type === 'string') {
    return typeof value === 'string' && value.trim() !== '' ? null : 'it must be a name';
  }
  const fits =
    typeof value === 'number' &&
    value >= setting.min &&
    value <= setting.max &&
    (setting.type === 'number' || Number.isInteger(value));
  if (fits) return null;
  const kind = setting.type === 'integer' ? 'a whole number' : 'a number';
  return `it must be ${kind} from ${setting.min} to ${setting.max}`;
}

function names(): (keyof Settings)[] {
  return Object.keys(SETTINGS) as (keyof Settings)[];
}

function isName(name: string): name is keyof Settings {
  return Object.hasOwn(SETTINGS, name);
}

function integer(value: number, min: number, max: number, harmless: boolean, text: string): NumberSetting {
  return { type: 'integer', default: value, min, max, harmless, text };
}
