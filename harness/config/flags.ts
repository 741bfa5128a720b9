// Settings as flags of the command line: their names, and their values from text.

import { refuse } from '../base/errors.js';
import { flagOf } from './flag-of.js';
import { SETTINGS, type Settings } from './settings.js';

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
  // `0x10` and `1e3` are numbers to JavaScript, but a slip of the finger in a sum of money.
  if (!/^[+-]?(\d+(\.\d+)?|\.\d+)$/.test(text.trim()))
    throw refuse(`--${flag} must be a number, not ${JSON.stringify(text)}: plain digits, such as 20.`);
  return Number(text);
}
