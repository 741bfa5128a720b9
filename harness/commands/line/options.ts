// Options that several commands take.

import type { Argv } from 'yargs';
import { refuse } from '../../base/errors.js';

export const TEXT = { type: 'string', requiresArg: true } as const;
/** May be given several times, each with one value. */
export const TEXTS = { type: 'string', array: true, nargs: 1 } as const;

export function dirOption<T>(args: Argv<T>) {
  return args.positional('dir', {
    type: 'string',
    demandOption: true,
    describe: 'folder of the app',
    coerce: named,
  });
}

/** `longhaul run "$UNSET"` must not mean the folder where one happens to be. */
function named(dir: string): string {
  if (dir === '') throw refuse('The folder is an empty text: name the folder of the app.');
  return dir;
}
