// What the harness keeps of a proof that it saw: one folder a feature, replaced as a whole.

import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { syncFolder, writeFileDurably } from '../base/atomic-file.js';

/** result.json of evidence/<feature>/. */
export interface EvidenceResult {
  feature: string;
  session: number;
  tree: string;
  specSha256: string;
  at: string;
  verdict: 'green';
  /** What the same proof said of an empty page. */
  blank: { verdict: string; summary: string };
  /** Features that passed before and whose proofs held on the same app. */
  alsoGreen: string[];
  /** Those of them whose spec was changed: each was red on an empty page, too. */
  changedSpecs: string[];
  /** How often the app came up from a clean checkout; 0 when init.sh was as proved before. */
  cleanStarts: number;
  ms: number;
  details: Record<string, unknown>;
  files: { name: string; bytes: number; sha256: string }[];
}

/** A file of evidence above this is left out and named in result.json with its size: a trace is 40-100 KB. */
const MOST_FILE_BYTES = 20 * 1024 * 1024;

/**
 * Stores the files and result.json durably and returns the SHA-256 of result.json. The old evidence of the feature is
 * replaced only once the new one is whole on disk.
 */
export function storeEvidence(
  stateFolder: string,
  result: Omit<EvidenceResult, 'files'>,
  files: readonly { name: string; path: string }[],
): string {
  const folder = join(stateFolder, 'evidence');
  const [final, fresh, old] = ['', '.new', '.old'].map(suffix =>
    join(folder, `${result.feature}${suffix}`),
  ) as [string, string, string];
  for (const path of [fresh, old]) rmSync(path, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const stored = files.filter(file => existsSync(file.path)).map(file => storeFile(fresh, file));
  const text = `${JSON.stringify({ ...result, files: stored } satisfies EvidenceResult, null, 2)}\n`;
  writeFileDurably(join(fresh, 'result.json'), text);
  if (existsSync(final)) renameSync(final, old);
  renameSync(fresh, final);
  syncFolder(folder);
  rmSync(old, { recursive: true, force: true });
  return createHash('sha256').update(text).digest('hex');
}

function storeFile(
  folder: string,
  { name, path }: { name: string; path: string },
): EvidenceResult['files'][number] {
  const { size } = statSync(path);
  if (size > MOST_FILE_BYTES) return { name: `${name} (left out: too large)`, bytes: size, sha256: '' };
  const to = join(folder, name);
  copyFileSync(path, to);
  const fd = openSync(to, 'r');
  fsyncSync(fd);
  closeSync(fd);
  return { name, bytes: size, sha256: createHash('sha256').update(readFileSync(to)).digest('hex') };
}
