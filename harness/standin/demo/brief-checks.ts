// What a session's first request must hold; each check throws with what is missing, so a broken brief never passes.

import type { Ask } from '../scenario.js';
import { sectionOf } from './brief-section.js';
import { DEMO_FEATURE_IDS, type DemoFeature, type DemoFeatureId, demoCommit } from './content.js';
import { featuresInNotes } from './notes.js';

/** The tools that the script calls. */
const TOOLS = ['bash', 'browser', 'finish_session', 'notes', 'text_editor', 'verify_feature'];

/** Commits of the harness that flip nothing, and what the script itself commits: they may fill a short log. */
const OTHER_COMMITS = /\b(wip F-\d{3} |Revert "|Notes of session |Put features\.json back)/;

export function checkOffer(ask: Ask): void {
  checkSystemPrompt(ask);
  checkTools(ask);
}

/** @returns the path of the app's spec. */
export function readInitializerBrief(ask: Ask): string {
  if (!/^Session: \d+, initializer$/m.test(ask.brief)) {
    throw new Error('the brief names no feature and has no line "Session: <n>, initializer"');
  }
  const path = /^App spec: (\/.+)$/m.exec(ask.brief)?.[1];
  if (path === undefined) throw new Error('the brief has no line "App spec: </absolute/path>"');
  return path;
}

export function checkExecutorBrief(ask: Ask, feature: DemoFeature): void {
  checkSession(ask);
  checkSteps(ask, feature);
  sectionOf(ask.brief, `History of ${feature.id}`);
  const done = featuresInNotes(ask);
  checkProgressCount(ask, done.length);
  checkRecentCommits(ask, done);
}

function checkSystemPrompt({ body }: Ask): void {
  const system =
    typeof body.system === 'string' ? body.system : (body.system ?? []).map(block => block.text).join('');
  if (system.trim() === '') throw new Error('the system prompt is empty');
}

function checkTools({ body }: Ask): void {
  const offered = (body.tools ?? []).map(tool => ('name' in tool ? tool.name : ''));
  const missing = TOOLS.filter(name => !offered.includes(name));
  if (missing.length > 0) {
    throw new Error(`the tools lack ${missing.join(', ')}; offered are: ${offered.join(', ') || 'none'}`);
  }
}

function checkSession({ brief }: Ask): void {
  if (!/^Session: \d+, executor$/m.test(brief)) {
    throw new Error('the brief has no line "Session: <n>, executor"');
  }
}

function checkSteps({ brief }: Ask, { id, steps }: DemoFeature): void {
  const lines = brief.split('\n');
  let line = lines.indexOf('Steps:');
  if (line === -1) throw new Error(`the brief of ${id} has no line "Steps:"`);
  for (const [index, step] of steps.entries()) {
    line += 1;
    if (lines[line] !== `${index + 1}. ${step}`) {
      throw new Error(`the brief of ${id} lacks step ${index + 1}, "${step}", or has it out of order`);
    }
  }
}

function checkProgressCount({ brief }: Ask, done: number): void {
  const progress = sectionOf(brief, 'Progress');
  const wanted = `[fact] ${done} of ${DEMO_FEATURE_IDS.length} features pass.`;
  if (progress.split('\n').includes(wanted)) return;
  throw new Error(
    `the section "Progress" must say "${wanted}", as many as the notes tell of, but says: ${progress}`,
  );
}

/**
 * The log is cut to its newest lines: those that it shows must be the flips that the notes tell of, the newest of them,
 * without a gap. Where the first commit is in sight, so is every flip.
 */
function checkRecentCommits({ brief }: Ask, done: readonly DemoFeatureId[]): void {
  const log = sectionOf(brief, 'Recent commits').split('\n');
  const ids = log
    .toReversed()
    .flatMap(line => DEMO_FEATURE_IDS.filter(id => line.endsWith(` ${demoCommit(id).subject}`)));
  const wholeLog = log.some(line => line.includes(' Lay out the project'));
  const newest = wholeLog ? done : done.slice(done.length - ids.length);
  if (ids.join() !== newest.join()) {
    throw new Error(
      `the recent commits must be those of ${newest.join(', ') || 'no feature'}, as the notes say, but are those of ${ids.join(', ') || 'no feature'}`,
    );
  }
  if (ids.length > 0 || wholeLog || log.every(line => OTHER_COMMITS.test(line))) return;
  throw new Error(`the recent commits must have the commit of ${done.at(-1)} among them`);
}
