// Prompt files: every word the model is told lives in `prompts/`; code only fills in the marked places.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../base/package-root.js';

/** A marked place: `{{name}}`. */
const PLACE = /\{\{([A-Za-z]+)\}\}/g;

/** Files as they were when they were first read: an upgrade beside a running process does not change what it says. */
const files = new Map<string, string>();

/**
 * The text of `prompts/<name>.md` with its places filled.
 * @throws when the file names a place without a value, or a value has no place: both are mistakes of ours.
 */
export function loadPrompt(name: string, values: Readonly<Record<string, string>> = {}): string {
  const text = files.get(name) ?? readFileSync(join(packageRoot, 'prompts', `${name}.md`), 'utf8').trim();
  files.set(name, text);
  return fillPlaces(text, values, name);
}

/** Fills `{{name}}` places. Filled-in text is not searched for places again, so data cannot ask for more data. */
export function fillPlaces(text: string, values: Readonly<Record<string, string>>, name: string): string {
  const used = new Set<string>();
  const filled = text.replace(PLACE, (_, place: string) => {
    const value = values[place];
    if (value === undefined)
      throw new Error(`prompts/${name}.md has the place {{${place}}}, which nothing fills`);
    used.add(place);
    return value;
  });
  const idle = Object.keys(values).filter(place => !used.has(place));
  if (idle.length > 0) throw new Error(`prompts/${name}.md has no place for ${idle.join(', ')}`);
  return filled;
}
