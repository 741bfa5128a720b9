// The evidence that lies on disk for a feature, and whether it is the one that the journal names.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readIfExists } from '../base/atomic-file.js';
import type { EvidenceResult } from '../verify/evidence.js';

export interface StoredEvidence {
  folder: string;
  /** Of result.json as it is on disk. */
  sha256: string;
  /** It is what the harness stored when it saw the proof. */
  intact: boolean;
  at: string;
  session: number;
  /** The tree that was proved. */
  tree: string;
  specSha256: string;
  /** Of the whole proof. */
  ms: number;
  /** What the same proof said of an empty page. */
  blank: string;
  tests: { title: string; ms: number; steps: { title: string; ms: number }[] }[];
  files: { name: string; bytes: number; path: string | null }[];
}

/**
 * @param sha256 what the journal says of result.json.
 * @returns null when there is none, or none that can be read.
 */
export function readEvidence(
  stateFolder: string,
  feature: string,
  sha256: string | null,
): StoredEvidence | null {
  const folder = join(stateFolder, 'evidence', feature);
  const bytes = readIfExists(join(folder, 'result.json'));
  const result = bytes === undefined ? null : parseResult(bytes.toString('utf8'));
  if (bytes === undefined || result === null) return null;
  const found = createHash('sha256').update(bytes).digest('hex');
  const { at, session, tree, specSha256, ms } = result;
  return {
    folder,
    sha256: found,
    intact: found === sha256,
    at,
    session,
    tree,
    specSha256,
    ms,
    blank: `${result.blank.verdict}: ${result.blank.summary}`,
    tests: testsOf(result.details.tests),
    files: result.files.flatMap(file => {
      if (typeof file?.name !== 'string') return [];
      const path = join(folder, file.name);
      return [{ name: file.name, bytes: Number(file.bytes), path: existsSync(path) ? path : null }];
    }),
  };
}

/** Whatever its author: it lies where an agent without walls can write. */
function parseResult(text: string): EvidenceResult | null {
  try {
    const result: Partial<EvidenceResult> | null = JSON.parse(text);
    const whole =
      typeof result?.at === 'string' &&
      typeof result.session === 'number' &&
      typeof result.tree === 'string' &&
      typeof result.specSha256 === 'string' &&
      typeof result.ms === 'number' &&
      typeof result.blank?.verdict === 'string' &&
      typeof result.details === 'object' &&
      Array.isArray(result.files);
    return whole ? (result as EvidenceResult) : null;
  } catch {
    return null;
  }
}

function testsOf(tests: unknown): StoredEvidence['tests'] {
  if (!Array.isArray(tests)) return [];
  return tests.map(test => ({
    title: String(test?.title ?? ''),
    ms: Number(test?.durationMs ?? 0),
    steps: Array.isArray(test?.steps)
      ? test.steps.map((step: { title?: unknown; durationMs?: unknown } | null) => ({
          title: String(step?.title ?? ''),
          ms: Number(step?.durationMs ?? 0),
        }))
      : [],
  }));
}
