// Settings as flags of the command line: their names, and their values from text.

import { refuse } from '../base/errors.js';
import { SETTINGS, type Settings } from './settings.js';

/** Names of settings on the command line, where they differ from the key. */
const SHORTER: Partial<Record<keyof Settings, string>> = { budgetUsd: 'budget' };

/** `sessionMinutes` is `session-minutes`. */
export function flagOf(name: keyof Settings): string {
  return SHORTER[name] ?? name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

export const SETTING_NAMES = Object.keys(SETTINGS) as (keyof Settings)[];

/**
 * The settings given as flags. Values are checked for their kind here and for their range by `resolveSettings`.
 * @throws LonghaulError `refused` for a word where a number belongs and for a flag given twice.
 */
export function settingsFromFlags(args: Readonly<Record<string, unknown>>): Partial<Settings> {
  const given: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const text = singleFlag(args, flagOf(name));
    if (text !== undefined)
      given[name] = SETTINGS[name].type === 'string' ? text : numberOf(flagOf(name), text);
  }
  return given;
}

/** @throws LonghaulError `refused` when the flag is given twice. */
export function singleFlag(args: Readonly<Record<string, unknown>>, flag: string): string | undefined {
  const value = args[flag];
  if (Array.isArray(value)) throw refuse(`--${flag} is given ${value.length} times; give it once.`);
  return value === undefined ? undefined : String(value);
}

function numberOf(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value))
    throw refuse(`--${flag} must be a number, not ${JSON.stringify(text)}.`);
  return value;
}
