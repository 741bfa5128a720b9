// An app with a run of two sessions behind it, and a stream that keeps what a command prints.

import { EventEmitter } from 'node:events';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import type { JournalEvent } from '../../harness/journal/records.js';
import { openTranscript, sessionFolder } from '../../harness/session/transcript.js';
import { storeEvidence } from '../../harness/verify/evidence.js';
import type { OutputStream } from '../../harness/watch/terminal.js';
import { begin, executing, session } from '../support/records.js';
import { makeStartedApp, type TempApp } from '../support/temp-app.js';

/** Sets the window's title, clears the screen, and goes on as text. */
export const HOSTILE = '\x1b]0;owned\x07\x1b[2Jclean';

export async function watchedApp(): Promise<
  TempApp & { base: string; append(...events: JournalEvent[]): void }
> {
  const temp = await makeStartedApp();
  onTestFinished(() => temp.dispose());
  const append = (...events: JournalEvent[]) => {
    for (const event of events) temp.journal.append(event);
  };
  const [run, first, ...rest] = executing(3).map(event =>
    'commit' in event ? { ...event, commit: temp.base } : event,
  );
  append(...([run, process(), first, ...rest] as JournalEvent[]), ...begin(2, 'F-001'), {
    type: 'turn.end',
    session: 2,
    turn: 1,
    stopReason: 'tool_use',
    contextTokens: 5_000,
    tools: ['bash'],
  });
  const transcript = openTranscript(`${sessionFolder(temp.app.state, 2)}/transcript.jsonl`, systemClock);
  transcript.answer({
    id: 'm1',
    stop_reason: 'tool_use',
    content: [
      { type: 'thinking', thinking: 'secret thoughts', signature: 's' },
      { type: 'text', text: `I look at the server.\n${HOSTILE}` },
      { type: 'tool_use', id: 't1', name: 'bash', input: {} },
    ],
    usage: { input_tokens: 1, output_tokens: 1 },
  } as Parameters<typeof transcript.answer>[0]);
  append(
    { type: 'tool.end', session: 2, turn: 1, tool: 'bash', brief: `cat ${HOSTILE}`, ok: false, ms: 1_200 },
    ...session(2, 'F-001', 'turn_limit').slice(1),
  );
  return { ...temp, append };
}

/** Evidence of a green proof of F-001, with the record that names it. */
export function proveFirst({ app }: TempApp): JournalEvent {
  const evidenceSha256 = storeEvidence(
    app.state,
    {
      feature: 'F-001',
      session: 2,
      tree: 't'.repeat(40),
      specSha256: 's'.repeat(64),
      at: '2026-01-01T10:00:00.000Z',
      verdict: 'green',
      blank: { verdict: 'red', summary: 'Nothing there.' },
      alsoGreen: [],
      changedSpecs: [],
      cleanStarts: 0,
      ms: 1_000,
      details: {},
    },
    [],
  );
  return {
    type: 'verify.result',
    session: 2,
    feature: 'F-001',
    tree: 't'.repeat(40),
    specSha256: 's'.repeat(64),
    verdict: 'green',
    summary: '1 test green.',
    evidenceSha256,
    flip: null,
  };
}

export interface KeptOutput {
  stream: OutputStream;
  text(): string;
}

export function keptOutput(terminal: { columns: number } | null): KeptOutput {
  let text = '';
  const events = new EventEmitter();
  const stream = {
    on: events.on.bind(events),
    write: (chunk: string) => {
      text += chunk;
      return true;
    },
    ...(terminal ? { isTTY: true, ...terminal } : {}),
  };
  return { stream, text: () => text };
}

function process(): JournalEvent {
  return {
    type: 'process.begin',
    pid: 41,
    model: 'claude-x',
    budgetUsd: 20,
    settings: {},
    walls: 'none',
    simulated: true,
  };
}
