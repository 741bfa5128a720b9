// One record as one line of text with its checksum, and back. Pure.

import { createHash } from 'node:crypto';
import type { JournalRecord } from './records.js';

/** 64 bits of SHA-256: enough to find damage; it is no defence against an author. */
const SUM_LENGTH = 16;
const SUM_SUFFIX = new RegExp(`,"sum":"([0-9a-f]{${SUM_LENGTH}})"\\}$`);

/** The line without its newline. The checksum covers every byte before it. */
export function formatLine(record: JournalRecord): string {
  const body = JSON.stringify(record);
  return `${body.slice(0, -1)},"sum":"${checksum(body)}"}`;
}

/** The record of a line, or null when the line is not whole. */
export function parseLine(line: string): JournalRecord | null {
  const match = SUM_SUFFIX.exec(line);
  if (!match) return null;
  const body = `${line.slice(0, match.index)}}`;
  if (checksum(body) !== match[1]) return null;
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function checksum(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, SUM_LENGTH);
}
