// A settings file as data: the operator's or the app's own.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { messageOf, refuse } from '../base/errors.js';

/**
 * What a settings file holds, unchecked; undefined when there is none.
 * @throws LonghaulError `refused` with one sentence.
 */
export function readSettingsFile(path: string): unknown {
  if (!existsSync(path)) return undefined;
  // Reading a pipe would wait for whoever writes it, and it can be read only once.
  if (!statSync(path).isFile()) throw refuse(`The settings file ${path} is not a file.`);
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refuse(`The settings file ${path} is not JSON: ${messageOf(error)}.`);
  }
}
