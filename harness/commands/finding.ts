// What `doctor` found out: one thing, how it is, and what would help.

import { EXIT } from '../base/errors.js';

export interface Finding {
  what: string;
  /** `ok`, or how bad: without a `needed` thing no run starts. */
  state: 'ok' | 'needed' | 'better';
  text: string;
}

const MARK: Readonly<Record<Finding['state'], string>> = {
  ok: 'ok     ',
  needed: 'MISSING',
  better: 'note   ',
};

export function findingLine({ what, state, text }: Finding): string {
  return `${MARK[state]} ${what}: ${text}`;
}

/** 0 when a run can start, else 2. */
export function exitCodeOf(findings: readonly Finding[]): number {
  return findings.some(({ state }) => state === 'needed') ? EXIT.refused : EXIT.done;
}
