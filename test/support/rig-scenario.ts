// A scripted model for the rig: an app of a few files, two features, each a line in a table of answers.

import type { Ask, Reply } from '../../harness/standin/scenario.js';
import { call, calls, type Play } from '../../harness/standin/scripted.js';

export const RIG_FEATURES = ['F-001', 'F-002'];

const SERVER = `import { createServer } from 'node:http';
import { existsSync } from 'node:fs';
createServer((request, response) => {
  const id = request.url.slice(1);
  response.end(existsSync(new URL('./features/' + id, import.meta.url)) ? id + ' works' : 'nothing here');
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const INIT = `#!/usr/bin/env bash
set -eu
case "\${1-}" in
  setup) ;;
  start) exec node server.mjs ;;
  smoke) exec curl -fsS "$BASE_URL/" ;;
  reset | check) ;;
  *) exec node server.mjs ;;
esac
`;

/** Plays by the brief alone, so a session may be cut off anywhere and started again. */
export const rigPlay: Play = ask => (ask.feature === null ? initialize(ask) : build(ask.feature, ask.turn));

function initialize({ turn, body }: Ask): Reply {
  if (turn === 0) {
    const editor = editorIn(body.tools ?? []);
    return calls([
      [editor, { command: 'create', path: 'server.mjs', file_text: SERVER }],
      [editor, { command: 'create', path: 'init.sh', file_text: INIT }],
      [editor, { command: 'create', path: 'features.json', file_text: JSON.stringify(rigList()) }],
    ]);
  }
  return call('finish_session', {
    outcome: 'done',
    summary: 'Laid out.',
    progress: 'The rig is laid out.',
    stack: 'Node without packages.',
    programs: ['node', 'no-such-program-x'],
    questions: ['Should answers be cached? Decided: no.'],
  });
}

function build(id: string, turn: number): Reply {
  if (turn === 0)
    return call('bash', {
      command: `mkdir -p features e2e && touch features/${id} && echo ${id} > e2e/${id}.txt`,
    });
  return call('verify_feature', { id, commitMessage: `Answer ${id}`, progress: `${id} is built.` });
}

/** The editor's name in a request: another one when it is of the type that models were trained on. */
function editorIn(tools: NonNullable<Ask['body']['tools']>): string {
  const trained = tools.find(tool => tool.type === 'text_editor_20250728');
  return trained && 'name' in trained ? trained.name : 'text_editor';
}

function rigList() {
  return RIG_FEATURES.map(id => ({
    id,
    category: 'functional',
    description: `Answers ${id}`,
    steps: [`Open /${id}`, `See "${id} works"`],
    passes: false,
  }));
}
