// Puts whole lines after a line of a text, keeping the file's line endings and whether it ends with a newline.

import { changedTo, type Edited, refused } from './edited.js';
import { countLines, endingAt, hasOnlyCarriageReturns, withEndings } from './line-endings.js';
import { BYTE_ORDER_MARK, isAscii, type TextFile } from './text-file.js';

/** `afterLine` 0 is the top, behind a byte order mark. The last inserted line needs no newline of its own. */
export function insertLines(file: TextFile, afterLine: number, inserted: string): Edited {
  const { text } = file;
  if (file.encoding === 'bytes' && !isAscii(inserted)) {
    return refused(
      'This file is not UTF-8 and its encoding is not known, so insert_text may hold ASCII only here. Convert the file first: iconv -f ENCODING -t utf-8.',
    );
  }
  if (hasOnlyCarriageReturns(text)) {
    return refused(
      'The lines of this file end in CR alone (old Mac style) and cannot be counted here. Convert it first: tr "\\r" "\\n" < old > new.',
    );
  }
  if (inserted.endsWith('\r')) {
    return refused(
      'insert_text ends with a CR alone, which would become half of a line ending. End it with "\\n" or nothing.',
    );
  }
  const bodyStart = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  const lines = countLines(text.slice(bodyStart));
  if (!Number.isInteger(afterLine) || afterLine < 0 || afterLine > lines) {
    return refused(
      `insert_line ${afterLine} is not in the file, which has ${lines} lines. Use 0 for the top, ${lines} for the end, or a line between.`,
    );
  }
  const offset = endOfLine(text, bodyStart, afterLine);
  const before = text.slice(0, offset);
  const after = text.slice(offset);
  const ending = endingAt(text, Math.max(bodyStart, offset - 1));
  const block = withEndings(inserted, () => ending);
  const closed = block.endsWith('\n') ? block : block + ending;

  let added = closed;
  if (lines === 0) added = block;
  else if (!before.endsWith('\n') && offset > bodyStart) added = ending + withoutLastEnding(closed);
  const newLines = { firstLine: afterLine + 1, lastLine: afterLine + countLines(closed) };
  return changedTo(before + added + after, newLines, text);
}

/** Offset behind the newline of a line, or the end of the text when its last line has none. */
function endOfLine(text: string, bodyStart: number, line: number): number {
  let offset = bodyStart;
  for (let left = line; left > 0; left--) {
    const newline = text.indexOf('\n', offset);
    if (newline < 0) return text.length;
    offset = newline + 1;
  }
  return offset;
}

/** The file goes on without a newline at its end, unless the last new line is empty: only a newline makes it a line. */
function withoutLastEnding(closed: string): string {
  const open = closed.replace(/\r?\n$/, '');
  return open === '' || open.endsWith('\n') ? closed : open;
}
