// The session that reads the app's spec and lays the app out: the board with its first cards, the list, init.sh.

import type { Ask } from '../scenario.js';
import { call, calls } from '../scripted.js';
import { checkOffer, readInitializerBrief } from './brief-checks.js';
import { DEMO_FEATURE_IDS, type DemoFile, demoFiles, demoSpecTitle, demoStartNotes } from './content.js';
import { bash, CHECKED, createAll, type Move, view } from './moves.js';
import { expectDone } from './results.js';

/** What every later session depends on; written after the app itself, when its shape is known. */
const FOUNDATIONS = ['.gitignore', 'features.json', 'init.sh'];

const isFoundation = ({ path }: DemoFile) => FOUNDATIONS.includes(path);

const readSpec: Move = ask => {
  checkOffer(ask);
  const spec = readInitializerBrief(ask);
  return calls([view(spec), bash('ls -A')], 'I read what is wanted before I decide anything.');
};

const writeApp: Move = ask => {
  expectSpec(ask);
  const app = demoFiles('initializer').filter(file => !isFoundation(file));
  return calls(
    createAll(app),
    'A small board on one page. I begin with the smallest app that shows it: the data, a file to keep it in, a server and the page.',
  );
};

const writeFoundations: Move = ask => {
  expectDone(ask);
  return calls(
    [
      ...createAll(demoFiles('initializer').filter(isFoundation)),
      bash('chmod +x init.sh && ./init.sh setup && ./init.sh check', 60),
    ],
    'Now the list of what a user must be able to do, and init.sh, with which every later session starts.',
  );
};

const finish: Move = ask => {
  expectDone(ask, CHECKED);
  return call(
    'finish_session',
    {
      outcome: 'done',
      summary: `The board shows its three columns and the first jobs; ${DEMO_FEATURE_IDS.length} features are listed to be built.`,
      progress: demoStartNotes(),
      stack: 'Node.js 20 and browser modules, no packages; one JSON file for the data',
      programs: ['node'],
      questions: [
        'Does deleting need an undo? The spec asks for a question before, so the browser asks and that is all.',
      ],
    },
    'The app is laid out and its own tests pass.',
  );
};

export const INITIALIZER: readonly Move[] = [readSpec, writeApp, writeFoundations, finish];

/** The first of the two results is the app's spec. */
function expectSpec(ask: Ask): void {
  expectDone(ask);
  const title = demoSpecTitle();
  if (!ask.results[0]?.text.includes(title)) {
    throw new Error(`the app's spec should have been read, but its title "${title}" is not in the result`);
  }
}
