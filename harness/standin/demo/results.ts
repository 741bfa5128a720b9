// What the script makes of its tools' results; anything unexpected throws with the result's own words.

import type { Ask } from '../scenario.js';

/** Most characters of a result that an error quotes. */
const QUOTED = 600;

/** Every call of the turn before did what it should, and the last of them says `wanted`. */
export function expectDone(ask: Ask, wanted?: string): void {
  const results = toolResults(ask);
  const failed = results.find(result => result.isError);
  if (failed) throw new Error(`a tool call of turn ${ask.turn} failed: ${quote(failed.text)}`);
  const last = results.at(-1)?.text ?? '';
  if (wanted !== undefined && !last.includes(wanted)) {
    throw new Error(`a result of turn ${ask.turn} should say "${wanted}", but says: ${quote(last)}`);
  }
}

/** The spec was run and failed at this step; a proof that failed for another reason is not what was played. */
export function expectRed(ask: Ask, step: string): void {
  const text = toolResults(ask).at(-1)?.text ?? '';
  if (!text.includes(step)) {
    throw new Error(`verify_feature should have been red at the step "${step}", but says: ${quote(text)}`);
  }
}

/** The harness may add words of its own beside the results. */
function toolResults(ask: Ask): Ask['results'] {
  const results = ask.results.filter(result => result.toolUseId !== null);
  if (results.length === 0) throw new Error(`turn ${ask.turn} came without any tool result`);
  return results;
}

function quote(text: string): string {
  return text.length > QUOTED ? `${text.slice(0, QUOTED)} …` : text;
}
