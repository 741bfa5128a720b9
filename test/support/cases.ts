// Recorded failures of the case library, byte for byte.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('../fixtures/cases/', import.meta.url);

export function caseText(name: string): string {
  return readFileSync(fileURLToPath(new URL(name, FOLDER)), 'utf8');
}
