// What the script makes of its tools' results; anything unexpected throws with the result's own words.

import type { Ask } from '../scenario.js';

/** Most characters of a result that an error quotes. */
const QUOTED = 600;

/** How the result of a command that failed ends. */
const FAILED_COMMAND = /\[[^\]]*\bexit code [1-9]\d*, [\d.]+ s[^\]]*\]$/;

/** Every call of the turn before did what it should, and the last of them says `wanted`. */
export function expectDone(ask: Ask, wanted?: string): void {
  const results = toolResults(ask);
  const failed = results.find(result => result.isError || FAILED_COMMAND.test(result.text));
  if (failed) throw new Error(`a tool call of turn ${ask.turn} failed: ${quote(failed.text)}`);
  if (wanted !== undefined) expectLast(ask, wanted);
}

/** The last call of the turn before says this, whether it went well or not: a red verification, a failed check. */
export function expectLast(ask: Ask, wanted: string): void {
  const text = toolResults(ask).at(-1)?.text ?? '';
  if (!text.includes(wanted)) {
    throw new Error(`a result of turn ${ask.turn} should say "${wanted}", but says: ${quote(text)}`);
  }
}

/** The harness said this of its own accord, beside the results. */
export function expectTold(ask: Ask, wanted: string): void {
  const told = ask.results.filter(result => result.toolUseId === null).map(result => result.text);
  if (told.some(text => text.includes(wanted))) return;
  throw new Error(
    `turn ${ask.turn} should have been told "${wanted}", but was told: ${quote(told.join(' ')) || 'nothing'}`,
  );
}

/** What the turn before got back, in order. */
export function toolResults(ask: Ask): Ask['results'] {
  const results = ask.results.filter(result => result.toolUseId !== null);
  if (results.length === 0) throw new Error(`turn ${ask.turn} came without any tool result`);
  return results;
}

function quote(text: string): string {
  return text.length > QUOTED ? `${text.slice(0, QUOTED)} …` : text;
}
