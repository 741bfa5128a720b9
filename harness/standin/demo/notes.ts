// The demo's claude-progress.txt: the first session's words and a line for each feature, in the order of their passing.

import type { Ask } from '../scenario.js';
import { sectionOf } from './brief-section.js';
import { type DemoFeatureId, demoNote, demoStartNotes, isDemoFeature } from './content.js';

const NOTE_LINE = /^- (F-\d{3}): /gm;

export function notesAfter(done: readonly DemoFeatureId[]): string {
  return demoStartNotes() + done.map(id => `${demoNote(id)}\n`).join('');
}

/**
 * The features that the notes in the brief tell of, in the order of their passing. Notes live on from session to
 * session: whoever wrote before must be heard, word for word.
 */
export function featuresInNotes({ brief }: Pick<Ask, 'brief'>): DemoFeatureId[] {
  const notes = sectionOf(brief, 'Notes from earlier sessions (claude-progress.txt)');
  const done = [...notes.matchAll(NOTE_LINE)].map(([, id = '']) => id).filter(isDemoFeature);
  const wanted = [startMark(), ...done.map(demoNote)];
  for (const line of wanted) {
    if (!notes.includes(line)) throw new Error(`the notes in the brief lack this line: "${line}"`);
  }
  return done;
}

function startMark(): string {
  const mark = demoStartNotes()
    .split('\n')
    .find(line => line.startsWith('- Start: '));
  if (mark === undefined) throw new Error('the notes of the first session have no line "- Start: "');
  return mark;
}
