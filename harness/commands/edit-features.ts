// `features --add`, `--edit`, `--drop`: a person changes one entry of the list; each is a commit with a record.

import { EXIT, refuse } from '../base/errors.js';
import {
  type Amended,
  addFeature,
  dropFeature,
  editFeature,
  type FeatureFields,
} from '../features/amend-list.js';
import type { FeatureList } from '../features/feature-list.js';
import { amendRun } from '../runner/amend.js';
import { findAmendment } from '../runner/find-amendment.js';
import { accepted, goOnLine, passedLine, untaken } from './amend.js';
import { findFeature } from './features.js';
import { type IdleRun, withIdleRun } from './idle-run.js';

export interface EditFeaturesRequest {
  dir: string;
  action: 'add' | 'edit' | 'drop';
  /** Of the feature to edit or drop. */
  id: string | undefined;
  fields: FeatureFields;
  /** Id of the feature that it shall stand before, which is its priority. */
  before: string | undefined;
}

/** @returns the exit code. @throws LonghaulError `refused`, `held`; nothing is changed then. */
export async function editFeaturesCommand(request: EditFeaturesRequest): Promise<number> {
  checkRequest(request);
  return withIdleRun(request.dir, async run => {
    const { app, journal, list: before, say } = run;
    if (before === null)
      throw refuse(`The start of the run in ${app.root} is not accepted yet, so there is no list to change.`);
    const found = journal.state.open ? null : await findAmendment(app, journal.state);
    if (found) throw untaken(found, app.root);
    const list = accepted(amendedBy(request, before, run));
    if (list.sentences.length === 0) throw refuse(`${request.id} says that already; nothing was changed.`);
    const commit = await amendRun(run, { before, list, spec: null });
    for (const sentence of list.sentences) say(sentence);
    say(`committed ${commit.slice(0, 7)}: ${passedLine(run)}`);
    say(goOnLine(run));
    return EXIT.done;
  });
}

function amendedBy(request: EditFeaturesRequest, list: FeatureList, { journal }: IdleRun): Amended {
  const { state } = journal;
  const before = request.before === undefined ? null : findFeature(list, request.before).id;
  if (request.action === 'add')
    return addFeature(list, request.fields, {
      before,
      used: new Set([...state.features.keys(), ...state.dropped]),
    });
  const { id } = findFeature(list, request.id ?? '');
  if (before === id) throw refuse(`${id} cannot stand before itself.`);
  return request.action === 'edit' ? editFeature(list, id, request.fields, before) : dropFeature(list, id);
}

function checkRequest({ action, id, fields, before }: EditFeaturesRequest): void {
  if (action === 'add') {
    if (id !== undefined) throw refuse('A new feature gets its id from the list; leave it out with --add.');
    if (!fields.description?.trim() || !fields.steps?.some(step => step.trim() !== ''))
      throw refuse('A new feature needs --description TEXT and at least one --step TEXT.');
    return;
  }
  if (id === undefined) throw refuse(`Name the feature: longhaul features DIR ID --${action}`);
  if (action === 'edit' && before === undefined && Object.keys(fields).length === 0)
    throw refuse(
      'Say what to change: --description, --step (all steps anew), --category, --depends-on or --before.',
    );
  if (action === 'drop' && (before !== undefined || Object.keys(fields).length > 0))
    throw refuse('--drop takes a feature out; it goes with no other change.');
}
