// What an edit of a text gives: the whole new text and where it changed, or why it was refused.

import { BYTE_ORDER_MARK } from './text-file.js';

export type Edited =
  | {
      ok: true;
      text: string;
      /** Lines of the new text that hold the change, counted from 1. */
      firstLine: number;
      lastLine: number;
    }
  | { ok: false; reason: string };

export function refused(reason: string): Edited {
  return { ok: false, reason };
}

/** The edited text, unless it begins with a second byte order mark: the first one stays by itself. */
export function changedTo(
  text: string,
  lines: { firstLine: number; lastLine: number },
  before: string,
): Edited {
  const twoMarks = BYTE_ORDER_MARK + BYTE_ORDER_MARK;
  if (text.startsWith(twoMarks) && !before.startsWith(twoMarks)) {
    return refused(
      'The file has a byte order mark already, which edits keep. Leave U+FEFF out of the new text.',
    );
  }
  return { ok: true, text, ...lines };
}
