// The brief: what a session is told about where it is, as text, from facts. Pure; its size never depends on the run's.

import { cutHead, cutMiddle, cutMiddleLines, oneLine } from '../base/cut-text.js';
import type { Feature } from '../features/feature-list.js';
import type { Attempt, RunState } from '../journal/run-state.js';

/** What the harness found out before an executor session. */
export interface ExecutorFacts {
  session: number;
  root: string;
  branch: string;
  head: string;
  feature: Feature;
  attempts: Attempt[];
  passed: number;
  total: number;
  setAside: string[];
  log: string[];
  topLevel: string[];
  notes: string;
  last: RunState['lastSession'];
  /** What the harness put right before this session. */
  repairs: string[];
  /** What worked before and does not now, as sentences. */
  broken: string[];
  /** What a person said with `resume --say` since the last session. */
  personSaid: string[];
  /** What a person changed since the last session: commits, list, app spec. */
  personDid: string[];
  limits: { turns: number; minutes: number };
  app: { ok: true; baseUrl: string; log: string } | { ok: false; problem: string };
}

export interface InitializerFacts {
  session: number;
  root: string;
  branch: string;
  specPath: string;
  topLevel: string[];
  /** Why earlier starts were not accepted. */
  faults: string[];
}

/**
 * DESIGN: under 8 KB whatever the size of list, notes and log. The parts below add up to less; notes get what the others
 * leave, which is seldom less than all of them.
 */
export const BRIEF_LIMIT_BYTES = 8_000;
const LEAST_NOTES_BYTES = 1_200;
const HISTORY_BYTES = 1_200;
const STEPS_BYTES = 1_400;
const DESCRIPTION_BYTES = 400;
const PROBLEM_BYTES = 600;
const FILES_BYTES = 300;
const COMMITS = 8;
const COMMIT_BYTES = 80;
const BROKEN = 3;
const BROKEN_BYTES = 200;
const SAID = 2;
const SAID_BYTES = 400;
const PERSON = 4;
const PERSON_BYTES = 120;
const REPAIRS = 3;
const REPAIR_BYTES = 220;

export function executorBrief(facts: ExecutorFacts): string {
  const withNotes = (bytes: number) => executorSections(facts, bytes).join('\n\n');
  const others = Buffer.byteLength(withNotes(0), 'utf8');
  const brief = withNotes(Math.max(BRIEF_LIMIT_BYTES - others, LEAST_NOTES_BYTES));
  return cutMiddle(brief, BRIEF_LIMIT_BYTES, 'the brief was too long');
}

function executorSections(facts: ExecutorFacts, notesBytes: number): string[] {
  const { feature } = facts;
  return [
    [
      `Session: ${facts.session}, executor`,
      `Feature: ${feature.id}`,
      `Category: ${feature.category}`,
      `Description: ${oneLine(feature.description, DESCRIPTION_BYTES)}`,
      'Steps:',
      cutMiddle(
        feature.steps.map((step, index) => `${index + 1}. ${step}`).join('\n'),
        STEPS_BYTES,
        `all steps are in features.json under ${feature.id}`,
      ),
    ].join('\n'),
    section('Where you are', [
      `[fact] The app is in ${facts.root}, on branch ${facts.branch} at ${facts.head.slice(0, 7)}.`,
      facts.app.ok
        ? `[fact] It runs at ${facts.app.baseUrl} with the code from before this session; its log is ${facts.app.log}. ${ownCopy(facts.app.baseUrl)}`
        : `[fact] It does not come up, so mend that first: ${cutHead(facts.app.problem, PROBLEM_BYTES)}`,
      `[fact] This session has ${facts.limits.turns} turns and ${facts.limits.minutes} minutes; before they or the money run out you are told.`,
      ...facts.repairs.slice(0, REPAIRS).map(repair => `[fact] ${oneLine(repair, REPAIR_BYTES)}`),
    ]),
    ...(facts.broken.length > 0
      ? [section('Broken: mend this first', firstOf(facts.broken, BROKEN, BROKEN_BYTES, 'are red too'))]
      : []),
    ...(facts.personSaid.length + facts.personDid.length > 0
      ? [
          section('A person since the last session', [
            ...facts.personSaid.slice(-SAID).map(text => `[person says] ${oneLine(text, SAID_BYTES)}`),
            ...firstOf(facts.personDid, PERSON, PERSON_BYTES, 'changes'),
          ]),
        ]
      : []),
    section(`History of ${feature.id}`, [
      cutMiddle(history(facts.attempts), HISTORY_BYTES, 'the older sessions'),
    ]),
    section('Progress', [
      `[fact] ${facts.passed} of ${facts.total} features pass.`,
      ...(facts.setAside.length > 0
        ? [`[fact] Set aside after too many sessions: ${oneLine(facts.setAside.join(', '), 150)}.`]
        : []),
    ]),
    section(
      'Recent commits',
      facts.log.slice(0, COMMITS).map(line => `[fact] ${oneLine(line, COMMIT_BYTES)}`),
    ),
    section('Files', [`[fact] ${oneLine(facts.topLevel.join(' '), FILES_BYTES) || 'none'}`]),
    section('Notes from earlier sessions (claude-progress.txt)', [
      '[unverified] These are the words of earlier sessions, not facts:',
      cutMiddleLines(facts.notes.trim() || '(empty)', notesBytes, 'read claude-progress.txt for the rest'),
    ]),
    section('Left by the last session', [lastSession(facts.last)]),
  ];
}

export function initializerBrief(facts: InitializerFacts): string {
  const sections = [
    [`Session: ${facts.session}, initializer`, `App spec: ${facts.specPath}`].join('\n'),
    section('Where you are', [
      `[fact] The app's folder is ${facts.root}, a git repository on branch ${facts.branch} without any commit of yours yet.`,
      `[fact] Files: ${oneLine(facts.topLevel.join(' '), FILES_BYTES) || 'none'}`,
      ...(facts.topLevel.includes('spec.md')
        ? ['[fact] spec.md is what the person wrote; app_spec.md is a copy of it, and the one that counts.']
        : []),
    ]),
    section(
      'Earlier starts',
      facts.faults.length > 0
        ? [
            '[fact] An earlier start was not accepted:',
            ...facts.faults.map(fault => `- ${cutHead(fault, 600)}`),
          ]
        : ['[fact] None.'],
    ),
  ];
  return cutMiddle(sections.join('\n\n'), BRIEF_LIMIT_BYTES, 'the brief was too long');
}

function section(title: string, lines: string[]): string {
  return `## ${title}\n${lines.join('\n') || '[fact] None.'}`;
}

/** With a port and data of its own: two servers on one data folder spoil each other's. */
function ownCopy(baseUrl: string): string {
  const own = new URL(baseUrl);
  own.port = String(Number(own.port) + 1);
  return `To see changes in the server, start your own: DATA_DIR="$TMPDIR/data" PORT=${own.port} BASE_URL=${own.origin} ./init.sh start >"$TMPDIR/app.log" 2>&1 &`;
}

function firstOf(lines: readonly string[], most: number, bytes: number, rest: string): string[] {
  const more = lines.length > most ? [`[fact] ${lines.length - most} more ${rest}.`] : [];
  return [...lines.slice(0, most).map(line => `[fact] ${oneLine(line, bytes)}`), ...more];
}

function history(attempts: Attempt[]): string {
  if (attempts.length === 0) return '[fact] No session has worked on it yet.';
  return attempts
    .toReversed()
    .map(attempt => {
      const verdicts = attempt.verdicts.map(
        ({ verdict, summary }) => `verification ${verdict}: ${oneLine(summary, 240).replace(/\.$/, '')}`,
      );
      const said =
        attempt.outcome === null
          ? []
          : [`[unverified] it said: ${oneLine(attempt.summary, 240).replace(/\.$/, '')}`];
      const saved = attempt.salvage ? [`unfinished files saved as ${attempt.salvage}`] : [];
      return `[fact] Session ${attempt.session} ended: ${endInWords(attempt)}. ${[...verdicts, ...said, ...saved].join('. ')}`.trim();
    })
    .join('\n');
}

function lastSession(last: RunState['lastSession']): string {
  if (!last) return '[fact] This is the first session.';
  const what = last.feature ? `session ${last.session} on ${last.feature}` : `session ${last.session}`;
  const saved = last.salvage
    ? ` Its uncommitted files are saved as ${last.salvage}: \`git diff HEAD ${last.salvage}\` shows them, \`git checkout ${last.salvage} -- PATH\` takes one back.`
    : ' It left no uncommitted files.';
  return `[fact] The session before was ${what}; it ended: ${endInWords(last)}.${saved}`;
}

function endInWords({ end, outcome }: Pick<Attempt, 'end' | 'outcome'>): string {
  if (outcome === 'unfinished') return 'it stopped with the work unfinished';
  if (outcome === 'blocked') return 'it said that it is blocked';
  if (outcome === 'needs_person')
    return 'it said that a person is needed; a person has let the run go on since';
  return ENDS[end] ?? end;
}

/** Endings in words. */
const ENDS: Readonly<Record<string, string>> = {
  finished: 'its work was accepted',
  feature_verified: 'its feature was verified',
  model_stopped: 'it stopped without finishing',
  turn_limit: 'its turns were used up',
  time_limit: 'its time was used up',
  budget: 'the budget was used up',
  truncated: 'its answers were cut off again and again',
  context_full: 'its context was full',
  refusal: 'the model refused',
  bad_calls: 'its tool calls were invalid again and again',
  loop: 'it went round in circles',
  api_error: 'the API refused',
  interrupted: 'a person interrupted it',
  fault: 'the harness failed',
  crashed: 'the process was killed',
};
