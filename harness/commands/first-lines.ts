// What a run works with, told before anything happens.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dollars } from '../base/amounts.js';
import { priceTable } from '../model/prices.js';
import type { App } from '../workspace/app.js';
import type { CheckedRun } from './open-run.js';

export function firstLines(
  { simulated }: { simulated: boolean },
  { isNew, settings, whyCap, kept }: Pick<CheckedRun, 'isNew' | 'settings' | 'whyCap' | 'kept'>,
  { root, state }: Pick<App, 'root' | 'state'>,
): string[] {
  const { model, budgetUsd } = settings;
  const cap = `${dollars(budgetUsd)} (${simulated ? 'simulated, ' : ''}${whyCap})`;
  const lines = [
    `model ${model}${priceNote(model)}, cap ${cap}`,
    ...(kept === '' ? [] : [`kept from the last start: ${kept}; give a flag anew to change it`]),
    `no walls: what the agent runs can do what you can; state in ${state}`,
  ];
  const around = isNew ? repositoryAround(root) : null;
  if (around !== null)
    lines.push(
      `${around} is a repository, and the app in it becomes one of its own: let the outer one ignore it`,
    );
  return lines;
}

/** The nearest folder above that is a repository's, or null. */
function repositoryAround(root: string): string | null {
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** A model without a price of its own must not seem cheap. */
function priceNote(model: string): string {
  const prices = priceTable();
  if (prices.knows(model)) return '';
  const { input, output } = prices.priceOf(model);
  return ` (its price is not known, so it counts as the dearest: $${input} for a million tokens of input, $${output} of output)`;
}
