// Random identifiers.

import { randomBytes } from 'node:crypto';

/** 16 hex digits: enough that two runs of one machine never share one. */
export function newId(): string {
  return randomBytes(8).toString('hex');
}
