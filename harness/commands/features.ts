// `features`: the list as the harness last committed it, with what the journal knows; or one feature with all of it.

import { resolve } from 'node:path';
import { EXIT, type LonghaulError, refuse } from '../base/errors.js';
import { readEnvironment } from '../config/environment.js';
import type { Feature, FeatureList } from '../features/feature-list.js';
import { readJournal } from '../journal/read-journal.js';
import { reduce } from '../journal/reduce.js';
import { detailLines, evidenceHash, featureDetail } from '../watch/feature-detail.js';
import { featuresLines, featuresView } from '../watch/features-view.js';
import { nearIds } from '../watch/near-ids.js';
import { plainJson } from '../watch/plain-text.js';
import { readEvidence } from '../watch/stored-evidence.js';
import { type OutputStream, openOutput } from '../watch/terminal.js';
import { hasRun, openApp } from '../workspace/app.js';
import { readCanonicalList } from '../workspace/list-guard.js';
import { isHeld } from '../workspace/run-lock.js';
import { noRun } from './going-on.js';

export interface FeaturesRequest {
  dir: string;
  /** One feature only. */
  id: string | undefined;
  json: boolean;
}

/** @returns the exit code. @throws LonghaulError `refused` when there is no run in `dir` or no such feature. */
export async function featuresCommand(
  { dir, id, json }: FeaturesRequest,
  stream: OutputStream = process.stdout,
): Promise<number> {
  const { host } = readEnvironment();
  const root = resolve(dir);
  if (!hasRun(root)) throw noRun(root, dir);
  const app = await openApp(root, host);
  const { records } = readJournal(app.journal);
  const state = reduce(records);
  // Before the start is accepted there may be a commit, but no list that holds.
  const frozen = state.contractSha256 === null ? null : state.lastCommit;
  const list = frozen === null ? [] : (await readCanonicalList(app, frozen)).list;
  const held = await isHeld(app);
  const output = openOutput(stream, host);
  if (id === undefined) {
    const view = featuresView(list, state, held);
    output.lines(json ? [plainJson(view)] : featuresLines(view, output));
    return EXIT.done;
  }
  const feature = findFeature(list, id);
  const hash = evidenceHash(records, feature.id);
  const evidence = hash === null ? null : readEvidence(app.state, feature.id, hash);
  const detail = featureDetail(feature, { list, state, records, evidence, held });
  output.lines(json ? [plainJson(detail)] : detailLines(detail, output));
  return EXIT.done;
}

/** Ids are unique whatever their case, so it does not count here either. */
export function findFeature(list: FeatureList, id: string): Feature {
  const feature = list.find(entry => entry.id.toLowerCase() === id.toLowerCase());
  if (feature) return feature;
  throw noSuchFeature(
    id,
    list.map(entry => entry.id),
  );
}

function noSuchFeature(id: string, ids: readonly string[]): LonghaulError {
  const shown = JSON.stringify(id.slice(0, 64));
  if (ids.length === 0) return refuse(`There is no feature ${shown}: the run has no features yet.`);
  const near = nearIds(id, ids);
  const help =
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${ids[0]} to ${ids.at(-1)}.`;
  return refuse(`There is no feature ${shown}; ${help}`);
}
