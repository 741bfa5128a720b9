// The sessions that build the demo's features, and the commit that each of them ends with.

import type { MessageReply } from '../answer.js';
import type { Ask } from '../scenario.js';
import { call, calls } from '../scripted.js';
import { checkExecutorBrief, checkOffer } from './brief-checks.js';
import { DEMO_FEATURE_IDS, type DemoFeatureId, demoFeatures, demoFiles, demoProgress } from './content.js';
import { bash, CHECKED, check, createAll, filesOf, type Move, replace, view } from './moves.js';
import { expectDone, expectRed } from './results.js';

/** Subject and body of each commit: what changed for the people who use the board. */
const COMMITS: Readonly<Record<DemoFeatureId, { subject: string; body: string }>> = {
  'F-001': {
    subject: 'Let people add a card to a column',
    body: 'Each column ends in a field: type what is to be done, press Enter, and the card\nis there for everybody. A card without words is refused.',
  },
  'F-002': {
    subject: 'Let people move a card to the next column',
    body: 'A card has a button that takes it one column on and says where it went. Cards\nin Done have none.',
  },
  'F-003': {
    subject: 'Show only the cards with a searched word',
    body: 'While a word stands in the search field the other cards are hidden, and the page\nsays how many were found. Upper and lower case do not matter.',
  },
};

const SUBJECTS: ReadonlyMap<DemoFeatureId, string> = new Map(
  DEMO_FEATURE_IDS.map(id => [id, COMMITS[id].subject]),
);

/** The line without which a moved card is back in its old column after a reload. */
const MOVE_SAVED = `That card cannot be moved on.');
    await store.save(board);
`;
const MOVE_NOT_SAVED = `That card cannot be moved on.');
`;

export const FEATURES: Readonly<Record<DemoFeatureId, readonly Move[]>> = {
  'F-001': [
    lookAround('F-001', 'public/page.mjs'),
    build('F-001', 'A field at the foot of each column, and a way for the server to keep the new card.'),
    verify('F-001', 'The unit tests pass. Now the spec in a real browser.'),
  ],
  'F-002': [
    lookAround('F-002', 'server.mjs'),
    buildWithoutSaving,
    verify('F-002', 'The unit tests pass. Now the spec in a real browser.'),
    mend,
    verify('F-002', 'Saved now. Once more in the browser.'),
  ],
  'F-003': [
    lookAround('F-003', 'public/page.mjs'),
    build('F-003', 'Searching needs nothing from the server: the page has all cards already.'),
    verify('F-003', 'The unit tests pass. Now the spec in a real browser.'),
  ],
};

/** The first move: the brief is checked, and the code to be changed is read. */
function lookAround(id: DemoFeatureId, file: string): Move {
  return ask => {
    checkOffer(ask);
    checkExecutorBrief(ask, featureOf(id), SUBJECTS);
    return calls([view(file), bash('git status --short && ls *.mjs public')], `I start with ${file}.`);
  };
}

function build(id: DemoFeatureId, why: string): Move {
  return ask => {
    expectDone(ask);
    return calls([...filesOf(id), check()], why);
  };
}

/** F-002 as it is first written: the card is moved in the answer to the page, but not in the file. */
function buildWithoutSaving(ask: Ask): MessageReply {
  expectDone(ask);
  const files = demoFiles('F-002').map(file =>
    file.path === 'server.mjs' ? { ...file, text: withoutSaving(file.text) } : file,
  );
  return calls(
    [...createAll(files), check()],
    'A button on each card, and a change in the server that takes the card one column on.',
  );
}

/** The red step names the fault: the card was moved on the page, and was back after the reload. */
function mend(ask: Ask): MessageReply {
  expectRed(ask, 'Reload the page');
  return calls(
    [
      replace('server.mjs', MOVE_NOT_SAVED, MOVE_SAVED),
      [
        'notes',
        {
          content: `${demoProgress('F-001')}In work: moving a card; /api/moves must save the board that it answers with.\n`,
        },
      ],
      check(),
    ],
    'The page shows the move, but after a reload the card is back: /api/moves answers with the changed board and never saves it. No unit test could see that.',
  );
}

function verify(id: DemoFeatureId, text: string): Move {
  const { subject, body } = COMMITS[id];
  return ask => {
    expectDone(ask, CHECKED);
    const input = { id, commitMessage: `${subject}\n\n${body}`, progress: demoProgress(id) };
    return call('verify_feature', input, text);
  };
}

function withoutSaving(server: string): string {
  if (!server.includes(MOVE_SAVED))
    throw new Error("the demo's F-002/server.mjs does not save where it should");
  return server.replace(MOVE_SAVED, MOVE_NOT_SAVED);
}

function featureOf(id: DemoFeatureId) {
  const feature = demoFeatures().find(entry => entry.id === id);
  if (!feature) throw new Error(`the demo's list has no feature ${id}`);
  return feature;
}
