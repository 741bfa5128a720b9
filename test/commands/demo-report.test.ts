import { expect, test } from 'vitest';
import { howToLook, whatItShowed } from '../../harness/commands/demo-report.js';
import type { JournalRecord } from '../../harness/journal/records.js';

const begin = (session: number, feature: string) => ({ type: 'session.begin', session, feature });
const result = (session: number, verdict: string) => ({ type: 'verify.result', session, verdict });

test('what a demo showed is told by session, once each, and mended only where it was', () => {
  const records = [
    begin(1, 'F-001'),
    result(1, 'red'),
    result(1, 'red'),
    { type: 'session.abandoned', session: 1 },
    begin(2, 'F-001'),
    result(2, 'unproven'),
    result(2, 'green'),
    begin(3, 'F-002'),
    { type: 'list.restored', session: 3 },
    { type: 'tool.end', session: 3, tool: 'browser', brief: 'dialog' },
    { type: 'tool.end', session: 3, tool: 'browser', brief: 'click button' },
    { type: 'session.end', session: 3, outcome: 'blocked', blockedBy: ['F-003'] },
  ] as unknown as JournalRecord[];
  expect(whatItShowed(records)).toEqual([
    'session 1, F-001: the spec was red in a real browser, for a fault in the app',
    'session 1, F-001: killed in the middle; the next session began it anew',
    'session 2, F-001: the spec was green on an empty page too, so it was refused; then mended',
    'session 3, F-002: an edit of features.json was undone and the agent told',
    "session 3, F-002: a native dialog was seen and answered in the agent's browser",
    'session 3, F-002: declined, so F-003 came first',
  ]);
});

test('how to look at the app can be copied into a shell, whatever the folder is called', () => {
  expect(howToLook('/home/my apps')[0]).toContain("cd '/home/my apps' && ./init.sh");
});
