// What `features DIR ID` shows of one feature: steps, every attempt with its verdicts, and the evidence. Pure.

import { dollars, moment, size, span } from '../base/amounts.js';
import { shellWord } from '../base/shell-word.js';
import type { Feature, FeatureList } from '../features/feature-list.js';
import type { JournalRecord } from '../journal/records.js';
import type { Attempt, RunState } from '../journal/run-state.js';
import { effortOf, type FeatureRow, featureRow, STYLE_OF } from './features-view.js';
import { block, type InkOptions, type Style } from './ink.js';
import { type SessionFacts, sessionFacts } from './session-facts.js';
import type { StoredEvidence } from './stored-evidence.js';
import { endInWords, verdictInWords } from './words.js';

export interface FeatureDetail extends FeatureRow {
  steps: string[];
  dependsOn: { id: string; passes: boolean }[];
  history: (Attempt & Partial<SessionFacts>)[];
  /** Commit that made it pass, or null. */
  commit: string | null;
  evidence: StoredEvidence | null;
}

export interface DetailFacts {
  list: FeatureList;
  state: RunState;
  records: readonly JournalRecord[];
  evidence: StoredEvidence | null;
  /** Somebody works on the run now. */
  held: boolean;
}

export function featureDetail(
  feature: Feature,
  { list, state, records, evidence, held }: DetailFacts,
): FeatureDetail {
  const facts = sessionFacts(records);
  const flip = records.findLast(
    record =>
      record.type === 'commit.done' &&
      record.purpose.kind === 'flip' &&
      record.purpose.feature === feature.id,
  );
  return {
    ...featureRow(feature, list, state, held),
    steps: feature.steps,
    dependsOn: (feature.depends_on ?? []).map(id => ({
      id,
      passes: list.find(other => other.id === id)?.passes === true,
    })),
    history: (state.features.get(feature.id)?.history ?? []).map(attempt => ({
      ...attempt,
      ...facts.get(attempt.session),
    })),
    commit: feature.passes && flip?.type === 'commit.done' ? flip.commit : null,
    evidence,
  };
}

/** SHA-256 that the journal has for the feature's last green verdict; null when it has none, or none that still counts. */
export function evidenceHash(records: readonly JournalRecord[], id: string): string | null {
  const last = records.findLast(record => isGreen(record, id) || asksAgain(record, id));
  return last?.type === 'verify.result' ? last.evidenceSha256 : null;
}

function isGreen(record: JournalRecord, id: string): boolean {
  return record.type === 'verify.result' && record.feature === id && record.evidenceSha256 !== null;
}

/** A person changed what the feature asks for, so that the old evidence shows it no longer. */
function asksAgain(record: JournalRecord, id: string): boolean {
  return (
    record.type === 'commit.done' &&
    record.purpose.kind === 'amend' &&
    record.purpose.changes.some(
      change => change.id === id && (change.proveAgain || change.change === 'dropped'),
    )
  );
}

/** As lines for a terminal. */
export function detailLines(detail: FeatureDetail, ink: InkOptions): string[] {
  const effort = effortOf(detail);
  return [
    ...block({ label: detail.id, text: detail.description, style: 'strong' }, ink),
    ...block(
      {
        indent: 2,
        label: `${detail.state},`,
        text: `${detail.category}${effort === '' ? '' : `, ${effort}`}`,
        style: STYLE_OF[detail.state],
      },
      ink,
    ),
    ...detail.dependsOn.flatMap(({ id, passes }) =>
      block({ indent: 2, text: `depends on ${id}, which ${passes ? 'passes' : 'fails'}` }, ink),
    ),
    ...chapter('Steps', ink),
    ...detail.steps.flatMap((text, index) =>
      block({ indent: 2, label: `${index + 1}.`, text, rest: 5 }, ink),
    ),
    ...(detail.history.length > 0 ? chapter('Attempts', ink) : []),
    ...detail.history.flatMap(attempt => attemptLines(attempt, detail, ink)),
    ...(detail.evidence ? evidenceLines(detail.evidence, detail.commit, ink) : []),
  ];
}

const VERDICT_STYLE: Readonly<Record<string, Style>> = { green: 'good', red: 'bad' };

function attemptLines(
  attempt: FeatureDetail['history'][number],
  { state }: FeatureDetail,
  ink: InkOptions,
): string[] {
  const goesOn = attempt.ended === null && state === 'in work';
  const ended = attempt.end === 'crashed' ? 'cut off by a crash' : endInWords(attempt.end, attempt.outcome);
  const how = goesOn ? 'goes on' : ended;
  const when = attempt.began === undefined ? '' : `${moment(attempt.began, ink.timeZone)}, `;
  const cost = attempt.usd === undefined ? '' : `, ${dollars(attempt.usd)}`;
  const words = attempt.summary === '' ? '' : `: ${attempt.summary}`;
  return [
    ...block(
      {
        indent: 2,
        label: `session ${attempt.session}:`,
        text: `${when}${how}${cost}${words}`,
        rest: 4,
        most: 6,
      },
      ink,
    ),
    ...attempt.verdicts.flatMap(({ verdict, summary }) =>
      block(
        {
          indent: 4,
          label: `${verdictInWords(verdict)}:`,
          text: summary,
          style: VERDICT_STYLE[verdict] ?? 'doubtful',
          rest: 6,
          most: 6,
        },
        ink,
      ),
    ),
    ...(attempt.salvage === null
      ? []
      : block({ indent: 4, text: `unfinished files: git show ${attempt.salvage}`, style: 'faint' }, ink)),
  ];
}

function evidenceLines(evidence: StoredEvidence, commit: string | null, ink: InkOptions): string[] {
  const fact = (label: string, text: string, style: Style = 'none') =>
    block({ indent: 2, label, text, style, rest: 4 }, ink);
  const trace = evidence.files.find(file => file.name === 'trace.zip')?.path;
  return [
    ...chapter('Evidence', ink),
    ...(evidence.intact
      ? []
      : fact('it is not what the journal says was stored:', 'result.json has changed since', 'bad')),
    ...fact(
      'seen green:',
      `${moment(evidence.at, ink.timeZone)} in session ${evidence.session}, in ${span(evidence.ms)}`,
    ),
    ...fact('on an empty page:', evidence.blank),
    ...evidence.tests.flatMap(({ title, ms, steps }) => [
      ...fact('test:', `${title}, ${span(ms)}`),
      ...steps.flatMap(step =>
        block({ indent: 4, label: '-', text: `${step.title}, ${span(step.ms)}` }, ink),
      ),
    ]),
    ...fact('tree:', evidence.tree),
    ...(commit === null ? [] : fact('commit:', commit)),
    ...fact('spec:', `sha256 ${evidence.specSha256}`),
    ...fact('result.json:', `sha256 ${evidence.sha256}`),
    ...fact('files:', evidence.folder),
    ...evidence.files.flatMap(({ name, bytes, path }) =>
      block({ indent: 4, label: '-', text: `${name}, ${size(bytes)}${path ? '' : ', not there'}` }, ink),
    ),
    // A command to copy: it stays in one line, whatever the width.
    ...(trace ? ['  open the trace:', `    npx playwright show-trace ${shellWord(trace)}`] : []),
  ];
}

function chapter(title: string, ink: InkOptions): string[] {
  return ['', ...block({ text: title, style: 'strong' }, ink)];
}
