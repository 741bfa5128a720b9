// The sessions that build the demo's features. Six of them show what the harness is for; the rest just work.

import type { Ask } from '../scenario.js';
import { calls } from '../scripted.js';
import { type DemoFeatureId, demoFiles } from './content.js';
import { applyPatch, bash, browser, check, createAll, type Move } from './moves.js';
import { expectDone, expectLast, expectTold, toolResults } from './results.js';
import { begin, build, builtBy, decline, lookAround, mendAndVerify, verification, verify } from './work.js';

/** The last version of the demo's own app in the background, and the address that it prints. */
const START_OWN = [
  'PORT=$((PORT+1)) DATA_DIR="$TMPDIR/try" ./init.sh start >"$TMPDIR/try.log" 2>&1 &',
  'for i in $(seq 50); do grep -o "http://.*" "$TMPDIR/try.log" && break; sleep 0.1; done',
].join('\n');

const DELETE_BUTTON = { role: 'button', name: 'Delete Ask Ida for the gate key' };

/** Every word but the last four: a requirement that the first version of the search would not meet. */
const WEAKEN_DESCRIPTION = "sed -i 's/found by a word, whatever its case/found by a word/' features.json";

export const FEATURES: Readonly<Record<DemoFeatureId, readonly Move[]>> = {
  'F-001': [
    lookAround('F-001', 'public/page.mjs', 'I start with the page that draws the columns.'),
    build('F-001', 'A field at the foot of each column, and a way for the server to keep the new card.'),
    verify('F-001', 'The unit tests pass. Now the spec in a real browser.'),
  ],

  // A spec that proves nothing: its loops run over no columns on an empty page.
  'F-002': [
    lookAround('F-002', 'public/board.css', 'Three columns side by side need 48rem; a telephone has 25.'),
    build('F-002', 'One column below 52rem. The spec measures every column that is there.'),
    verify('F-002', 'Now the spec at 400 pixels.'),
    mendAndVerify(
      'F-002',
      'green on an empty page too',
      'Right: the spec loops over the columns that it finds, and on an empty page that is none, so nothing was expected at all. It must count them first and know them by name.',
    ),
  ],

  // A fault in the app that no unit test sees.
  'F-003': [
    lookAround('F-003', 'server.mjs', 'Moving is a change like adding, so I start with the server.'),
    build('F-003', 'A button on each card, and a change in the server that takes the card one column on.'),
    verify('F-003', 'The unit tests pass. Now the spec in a real browser.'),
    mendAndVerify(
      'F-003',
      'Reload the page',
      'The page shows the move, but after a reload the card is back: /api/moves answers with the changed board and never saves it. No unit test could see that.',
    ),
  ],

  // The test first; a run that is killed here leaves half a feature.
  'F-004': [
    lookAround('F-004', 'public/page.mjs', 'The words first: what a column says of 0, 1 and 2 cards.'),
    begin(
      'F-004',
      [...createAll(demoFiles('F-004').filter(({ path }) => path.endsWith('.test.mjs'))), check()],
      'I write the unit test before the code and see it fail.',
    ),
    buildAfterRedTest,
    verify('F-004', 'The unit tests pass. Now the spec in a real browser.'),
  ],

  // A native dialog, seen and answered in the agent's browser before the spec is trusted with it.
  'F-005': [
    lookAround('F-005', 'public/page.mjs', 'A button on the card, and a question before it does anything.'),
    begin(
      'F-005',
      [...builtBy('F-005'), bash(START_OWN)],
      "The browser's own question, as the spec asks for. I start my own copy of the app to try it.",
    ),
    openAndDelete,
    answerAndDelete,
    verifyDeletion,
  ],

  // Declined while it needs what another feature brings; built in a later session.
  'F-006': [
    lookAround('F-006', 'public/page.mjs', 'Overdue is what has a day that is past. Where is the day?', [
      bash('grep -n "day" board.mjs || echo "board.mjs knows no day"'),
    ]),
    buildOrDecline,
    verify('F-006', 'The unit tests pass. Now the spec in a real browser.'),
  ],

  'F-007': [
    lookAround('F-007', 'board.mjs', 'A day belongs to the card, so I start with the data.'),
    build(
      'F-007',
      'Days are kept as 2030-05-09: comparing the texts compares the days. Words are for the page.',
    ),
    verify('F-007', 'The unit tests pass. Now the spec, on a day of its own: 10 May 2030.'),
  ],

  // An edit of the list, undone and told.
  'F-008': [
    lookAround(
      'F-008',
      'public/filter.mjs',
      'Searching needs nothing from the server: the page has all cards.',
    ),
    begin(
      'F-008',
      [bash(WEAKEN_DESCRIPTION)],
      'Comparing the words as they stand is simplest. The description asks for more than that, so I take it out.',
    ),
    buildAsDescribed,
    verify('F-008', 'The unit tests pass. Now the spec in a real browser, with "WATER".'),
  ],

  'F-009': [
    lookAround('F-009', 'public/page.mjs', 'A moved card takes the focus already; it must be reachable too.'),
    build('F-009', 'A link to the first card, arrows to its neighbours, and M for the button that is there.'),
    verify('F-009', 'The unit tests pass. Now the spec, without a mouse.'),
  ],

  'F-010': [
    lookAround(
      'F-010',
      'public/board.css',
      'All colours have names already, so the night needs only other values.',
    ),
    build('F-010', 'Other values for the same names, a button, and the browser keeps the choice.'),
    verify('F-010', 'The unit tests pass. Now the spec in a real browser.'),
  ],
};

function buildAfterRedTest(ask: Ask) {
  expectLast(ask, 'words.mjs');
  const spec = demoFiles('F-004').filter(({ path }) => !path.endsWith('.test.mjs'));
  return calls(
    [applyPatch('F-004', 'change'), ...createAll(spec), check()],
    'It fails for the right reason: public/words.mjs is not there yet. Now the words, and the page that says them.',
  );
}

function openAndDelete(ask: Ask) {
  expectDone(ask);
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(toolResults(ask).at(-1)?.text ?? '') ?? [];
  if (url === undefined) throw new Error("the session's own app printed no address");
  return calls(
    [browser('open', { url }), browser('click', DELETE_BUTTON)],
    'First by hand, as a user would.',
  );
}

function answerAndDelete(ask: Ask) {
  expectDone(ask, 'Dialog confirm "Delete “Ask Ida for the gate key” for good?": dismissed');
  return calls(
    [browser('dialog', { accept: true }), browser('click', DELETE_BUTTON)],
    'The browser asks "Delete “Ask Ida for the gate key” for good?", and after a no the card is still there. Now with yes.',
  );
}

function verifyDeletion(ask: Ask) {
  expectDone(ask, 'for good?": accepted, as asked');
  return calls(
    [verification('F-005', ask)],
    'Asked, answered, gone. The spec answers the question both ways too.',
  );
}

function buildOrDecline(ask: Ask) {
  expectDone(ask);
  const daysAreThere = toolResults(ask).some(({ text }) => text.includes('export function setDay('));
  if (daysAreThere)
    return build('F-006', 'Cards have days now, so the button only has to leave out what is not late.')(ask);
  return decline(
    ask,
    'F-007',
    'No card has a day yet, so none can be overdue: F-007 must come first. Nothing was changed.',
    'board.mjs knows no day, and F-007 is where cards get one. A day of my own here would be thrown away there.',
  );
}

function buildAsDescribed(ask: Ask) {
  expectTold(ask, 'features.json was changed');
  return calls(
    builtBy('F-008'),
    'The list is not mine to change, and the description is right: nobody remembers how a card was spelled. So both sides are compared in lower case.',
  );
}
