// `amend`: takes a list or an app spec that a person changed, after showing what that means.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT, refuse } from '../base/errors.js';
import { shellWord } from '../base/shell-word.js';
import { type Amendment, amendList } from '../features/amend-list.js';
import { type FeatureList, parseFeatureList } from '../features/feature-list.js';
import { passedCount } from '../journal/run-state.js';
import { amendRun } from '../runner/amend.js';
import { type FoundAmendment, findAmendment } from '../runner/find-amendment.js';
import { FEATURES_FILE, SPEC_FILE } from '../workspace/app.js';
import { type AppSpec, readAppSpec, withText, writeAppSpec } from '../workspace/app-spec.js';
import { askYesNo } from './ask-yes-no.js';
import { goOnCommand } from './going-on.js';
import { type IdleRun, withIdleRun } from './idle-run.js';

export interface AmendRequest {
  dir: string;
  /** A list to take in place of features.json on disk. */
  list: string | undefined;
  /** A file or folder to take as app spec. */
  spec: string | undefined;
  /** Do not ask. */
  yes: boolean;
}

/** @returns the exit code: 0 also when a person says no. @throws LonghaulError `refused`; nothing is changed then. */
export async function amendCommand(request: AmendRequest): Promise<number> {
  if (!request.yes && !process.stdin.isTTY)
    throw refuse('There is no terminal to ask on: add --yes to take the changes as they are.');
  return withIdleRun(request.dir, async run =>
    run.list === null ? amendBeforeStart(run, request) : amendAccepted(run, run.list, request),
  );
}

/** Nothing is committed yet: the next initializer reads the new spec. */
async function amendBeforeStart(run: IdleRun, request: AmendRequest): Promise<number> {
  const { app, journal, say } = run;
  if (journal.state.parked?.reason === 'refused') {
    throw refuse(
      `The spec of this run was refused, so there is nothing to amend; start anew with another one: ${goOnCommand('refused', app.root, journal.state.simulated)}`,
    );
  }
  if (request.list !== undefined)
    throw refuse(
      'The start is not accepted yet, so there is no list to amend; change the spec (--spec FILE) instead.',
    );
  const original = join(app.root, 'spec.md');
  const spec = readAppSpec(request.spec ?? (existsSync(original) ? original : join(app.root, SPEC_FILE)));
  if (spec.sha256 === journal.state.specSha256)
    throw refuse('There is nothing to amend: the app spec is the one that the run has.');
  if (!(await agreed(['the app spec was changed; the next initializer session reads it'], request, say)))
    return EXIT.done;
  writeAppSpec(app.root, spec);
  journal.append({ type: 'spec.amended', specSha256: spec.sha256 });
  say(goOnLine(run));
  return EXIT.done;
}

async function amendAccepted(run: IdleRun, before: FeatureList, request: AmendRequest): Promise<number> {
  const { say } = run;
  const { list, spec } = await wantedBy(run, before, request);
  const shown = [
    ...(list?.sentences ?? []).map(sentence => `${FEATURES_FILE}: ${sentence}`),
    ...(spec ? [`${SPEC_FILE} is changed; it adds no features by itself: that is done in the list`] : []),
  ];
  if (!(await agreed(shown, request, say))) return EXIT.done;
  const commit = await amendRun(run, { before, list, spec });
  say(`committed ${commit.slice(0, 7)}: ${passedLine(run)}`);
  say(goOnLine(run));
  return EXIT.done;
}

/** From the options, else from what a person changed in the app's folder. */
async function wantedBy(
  run: IdleRun,
  before: FeatureList,
  { list, spec }: AmendRequest,
): Promise<{ list: Amendment | null; spec: AppSpec | null }> {
  const { app, journal } = run;
  const found = journal.state.open ? null : await findAmendment(app, journal.state);
  if (list === undefined && spec === undefined) return fromFolder(run, before, found);
  if (found) throw untaken(found, app.root);
  return {
    list: list === undefined ? null : readList(list, before),
    spec: spec === undefined ? null : otherSpecThan(journal.state.specSha256, spec),
  };
}

async function fromFolder(
  { app, journal }: IdleRun,
  before: FeatureList,
  found: FoundAmendment | null,
): Promise<{ list: Amendment | null; spec: AppSpec | null }> {
  if (journal.state.open) {
    throw refuse(
      `Session ${journal.state.open.session} was cut off, so what lies in ${app.root} may be its; name the files to take with --list FILE or --spec FILE, or let the run put that in order first.`,
    );
  }
  const [problem] = found?.problems ?? [];
  if (problem !== undefined) throw refuse(`${FEATURES_FILE} cannot be taken: ${problem}`);
  const list = found?.list ? accepted(amendList(before, found.list)) : null;
  const text = await changedSpec(
    app.root,
    found,
    await app.git.readFile(journal.state.lastCommit ?? '', SPEC_FILE),
  );
  if (list || text !== null) return { list, spec: text === null ? null : withText(app.root, text) };
  throw refuse(
    `There is nothing to amend: ${FEATURES_FILE} and ${SPEC_FILE} in ${app.root} are as the run has them; change them there, or name others with --list FILE or --spec FILE.`,
  );
}

/** A person may have changed the app's copy of the spec or the original beside it, but not both in different ways. */
async function changedSpec(
  root: string,
  found: FoundAmendment | null,
  inForce: string | null,
): Promise<string | null> {
  const original = join(root, 'spec.md');
  const text = existsSync(original) ? readFileSync(original, 'utf8') : null;
  const changedOriginal = text === null || text === inForce ? null : text;
  const changedCopy = found?.spec ?? null;
  if (changedOriginal !== null && changedCopy !== null && changedOriginal !== changedCopy)
    throw refuse(
      `spec.md and ${SPEC_FILE} were both changed, in different ways; name the one to take with --spec FILE.`,
    );
  const wanted = changedCopy ?? changedOriginal;
  if (wanted?.trim() === '') throw refuse('The changed app spec is empty.');
  return wanted;
}

function otherSpecThan(inForce: string | null, path: string): AppSpec {
  const spec = readAppSpec(path);
  if (spec.sha256 === inForce)
    throw refuse(`There is nothing to amend: ${path} is the app spec that the run has.`);
  return spec;
}

function readList(path: string, before: FeatureList): Amendment {
  if (!existsSync(path)) throw refuse(`The list ${path} does not exist.`);
  const parsed = parseFeatureList(readFileSync(path, 'utf8'));
  if (!parsed.ok) throw refuse(`The list ${path} cannot be taken: ${parsed.problems[0]}`);
  const amended = accepted(amendList(before, parsed.list));
  if (amended.sentences.length === 0)
    throw refuse(`There is nothing to amend: ${path} says what the run has.`);
  return amended;
}

/** @throws LonghaulError `refused` with the first problem. */
export function accepted(amended: ReturnType<typeof amendList>): Amendment {
  if (amended.ok) return amended;
  throw refuse(`The list cannot be changed like this: ${amended.problems[0]}`);
}

/** Changes in the folder would be overwritten by another change of the same files. */
export function untaken({ what, sentences, files }: FoundAmendment, root: string): Error {
  return refuse(
    `${what} in ${root} and not taken yet (${sentences.join('; ')}); take that first with \`longhaul amend ${shellWord(root)}\`, or put it back with \`git checkout HEAD -- ${files.join(' ')}\` there.`,
  );
}

export function passedLine({ journal: { state } }: IdleRun): string {
  return `${passedCount(state)} of ${state.total} features pass`;
}

export function goOnLine({ app, journal: { state } }: IdleRun): string {
  return `To go on: ${goOnCommand(state.parked?.reason ?? 'planned', app.root, state.simulated)}`;
}

async function agreed(lines: string[], { yes }: AmendRequest, say: (line: string) => void): Promise<boolean> {
  for (const line of lines) say(line);
  if (yes || (await askYesNo('Take this?'))) return true;
  say('Nothing was changed.');
  return false;
}
