// What a session's first request must hold; each check throws with what is missing, so a broken brief never passes.

import type { Ask } from '../scenario.js';
import { type DemoFeature, type DemoFeatureId, type DemoSession, progressMark } from './content.js';

/** The tools that the script calls. */
const TOOLS = ['bash', 'finish_session', 'notes', 'text_editor', 'verify_feature'];

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

/** `subjects` are the commits by which a passing feature is known. */
export function checkExecutorBrief(
  ask: Ask,
  feature: DemoFeature,
  subjects: ReadonlyMap<DemoFeatureId, string>,
): void {
  checkSession(ask);
  checkSteps(ask, feature);
  checkHistory(ask, feature);
  const done = checkRecentCommits(ask, subjects);
  checkProgressCount(ask, done.length, subjects.size);
  checkNotes(ask, ['initializer', ...done]);
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

function checkHistory({ brief }: Ask, { id }: DemoFeature): void {
  sectionOf(brief, `History of ${id}`);
}

/** @returns the demo's features whose commits are in the log. */
function checkRecentCommits({ brief }: Ask, subjects: ReadonlyMap<DemoFeatureId, string>): DemoFeatureId[] {
  const log = sectionOf(brief, 'Recent commits');
  return [...subjects].filter(([, subject]) => log.includes(subject)).map(([id]) => id);
}

function checkProgressCount({ brief }: Ask, done: number, total: number): void {
  const progress = sectionOf(brief, 'Progress');
  if (!progress.split('\n').includes(`[fact] ${done} of ${total} features pass.`)) {
    throw new Error(
      `the section "Progress" must say that ${done} of ${total} features pass, as the recent commits do, but says: ${progress}`,
    );
  }
}

/** Notes live on from session to session: whoever wrote before must be heard. */
function checkNotes({ brief }: Ask, writers: readonly DemoSession[]): void {
  const notes = sectionOf(brief, 'Notes from earlier sessions (claude-progress.txt)');
  for (const writer of writers) {
    const mark = progressMark(writer);
    if (!notes.includes(mark)) throw new Error(`the notes in the brief lack what ${writer} wrote: "${mark}"`);
  }
}

/** The text below a heading. @throws when the heading is missing or nothing stands below it. */
function sectionOf(brief: string, title: string): string {
  const heading = `## ${title}\n`;
  const start = `\n${brief}`.indexOf(`\n${heading}`);
  if (start === -1) throw new Error(`the brief has no section "${title}"`);
  const rest = brief.slice(start + heading.length);
  const end = `\n${rest}`.indexOf('\n## ');
  const text = (end === -1 ? rest : rest.slice(0, end)).trim();
  if (text === '') throw new Error(`the section "${title}" of the brief is empty`);
  return text;
}
