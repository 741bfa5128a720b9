// The moves that most of the demo's sessions are made of: look around, build, verify, mend.

import type { MessageReply } from '../answer.js';
import type { Ask } from '../scenario.js';
import { calls } from '../scripted.js';
import { checkExecutorBrief, checkOffer } from './brief-checks.js';
import { type DemoFeatureId, demoCommit, demoFeatures, demoFiles } from './content.js';
import { applyPatch, bash, CHECKED, check, createAll, type Move, type Use, view } from './moves.js';
import { featuresInNotes, notesAfter } from './notes.js';
import { expectDone, expectLast, toolResults } from './results.js';

/** The first move: the brief is checked, and what is to be changed is read. */
export function lookAround(id: DemoFeatureId, file: string, text: string, more: readonly Use[] = []): Move {
  return ask => {
    checkOffer(ask);
    checkExecutorBrief(ask, featureOf(id));
    return calls([view(file), ...more, bash('git log -1 --format=%s && git status --short')], text);
  };
}

/** The move after the first look: from the last proven state on. */
export function begin(id: DemoFeatureId, uses: readonly Use[], text: string): Move {
  return ask => {
    expectDone(ask);
    if (!hasUnfinished(ask, id)) return calls(uses, text);
    return calls(
      [bash('git revert --no-edit HEAD'), ...uses],
      `A session before left half of this as a wip commit. I take it back, so that I know all of what I commit. ${text}`,
    );
  };
}

/** Everything at once: the change, the spec, and the app's own check. */
export function build(id: DemoFeatureId, text: string): Move {
  return begin(id, builtBy(id), text);
}

export function builtBy(id: DemoFeatureId): Use[] {
  return [applyPatch(id, 'change'), ...createAll(demoFiles(id)), check()];
}

/** After a check that went well. */
export function verify(id: DemoFeatureId, text: string): Move {
  return ask => {
    expectDone(ask, CHECKED);
    return calls([verification(id, ask)], text);
  };
}

/** After a verification that said `because`. */
export function mendAndVerify(id: DemoFeatureId, because: string, text: string): Move {
  return ask => {
    expectLast(ask, because);
    return calls([applyPatch(id, 'mend'), check(), verification(id, ask)], text);
  };
}

export function verification(id: DemoFeatureId, ask: Ask): Use {
  const progress = notesAfter([...featuresInNotes(ask), id]);
  return ['verify_feature', { id, commitMessage: demoCommit(id).message, progress }];
}

/** Ends the session without a proof; nothing was changed, so the notes stay as they are. */
export function decline(ask: Ask, blockedBy: DemoFeatureId, summary: string, text: string): MessageReply {
  const progress = notesAfter(featuresInNotes(ask));
  return calls([['finish_session', { outcome: 'blocked', blockedBy: [blockedBy], summary, progress }]], text);
}

/** What a session left that was stopped between two calls: the harness commits it when the app runs with it. */
function hasUnfinished(ask: Ask, id: DemoFeatureId): boolean {
  return toolResults(ask).at(-1)?.text.startsWith(`wip ${id} `) ?? false;
}

function featureOf(id: DemoFeatureId) {
  const feature = demoFeatures().find(entry => entry.id === id);
  if (!feature) throw new Error(`the demo's list has no feature ${id}`);
  return feature;
}
