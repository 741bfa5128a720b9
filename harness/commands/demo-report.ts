// What a demo has shown, read from its journal, and how to look at what it left. Pure.

import { shellWord } from '../base/shell-word.js';
import type { JournalRecord } from '../journal/records.js';

/** A line for each thing that a build must bear, in the order in which it happened. */
export function whatItShowed(records: readonly JournalRecord[]): string[] {
  const shown: string[] = [];
  let feature: string | null = null;
  const said = new Set<string>();
  const tell = (what: string, session: number) => {
    const line = `session ${session}, ${feature ?? 'the start'}: ${what}`;
    if (!said.has(line)) shown.push(line);
    said.add(line);
  };
  for (const record of records) {
    switch (record.type) {
      case 'session.begin':
        feature = record.feature;
        break;
      case 'verify.result':
        if (record.verdict in VERDICTS)
          tell(`${VERDICTS[record.verdict]}${mended(records, record.session)}`, record.session);
        break;
      case 'list.restored':
        if (record.session !== null)
          tell('an edit of features.json was undone and the agent told', record.session);
        break;
      case 'tool.end':
        if (record.tool === 'browser' && record.brief.startsWith('dialog'))
          tell("a native dialog was seen and answered in the agent's browser", record.session);
        break;
      case 'session.end':
        if (record.outcome === 'blocked')
          tell(`declined, so ${record.blockedBy.join(', ')} came first`, record.session);
        break;
      case 'session.abandoned':
        tell('killed in the middle; the next session began it anew', record.session);
        break;
    }
  }
  return shown;
}

const VERDICTS: Readonly<Record<string, string>> = {
  red: 'the spec was red in a real browser, for a fault in the app',
  unproven: 'the spec was green on an empty page too, so it was refused',
};

function mended(records: readonly JournalRecord[], session: number): string {
  const isMended = records.some(
    record => record.type === 'verify.result' && record.session === session && record.verdict === 'green',
  );
  return isMended ? '; then mended' : '';
}

/** Commands to copy. */
export function howToLook(root: string): string[] {
  const dir = shellWord(root);
  return [
    `To use the app:      cd ${dir} && ./init.sh     then open http://127.0.0.1:3000`,
    `To read its story:   npm run longhaul -- log ${dir}     (--session 4: with what the agent said)`,
    `To see what changed: git -C ${dir} log --format=%s`,
  ];
}
