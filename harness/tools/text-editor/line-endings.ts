// Line endings: LF in what the model writes stands for whatever ending the file has at that place.

export type LineEnding = '\n' | '\r\n';

/** All line endings of a text in order. A lone CR is a character, not an ending. */
export function lineEndings(text: string): LineEnding[] {
  return (text.match(/\r?\n/g) ?? []) as LineEnding[];
}

/** Old Mac files: CR alone between the lines. Lines of such a file cannot be addressed. */
export function hasOnlyCarriageReturns(text: string): boolean {
  return text.includes('\r') && !text.includes('\n');
}

/** The ending that a new line at this place should have: that of its own line, else of the line before, else LF. */
export function endingAt(text: string, offset: number): LineEnding {
  const next = text.indexOf('\n', offset);
  const newline = next >= 0 ? next : text.lastIndexOf('\n', offset - 1);
  return newline > 0 && text[newline - 1] === '\r' ? '\r\n' : '\n';
}

/** `text` with each LF that has no CR before it turned into the ending that `choose` names for its number. */
export function withEndings(text: string, choose: (index: number) => LineEnding): string {
  let index = 0;
  return text.replace(/\r?\n/g, ending => {
    const chosen = choose(index++);
    return ending === '\n' ? chosen : ending;
  });
}

/** Number of lines; a final newline ends the last line and begins none. */
export function countLines(text: string): number {
  if (text === '') return 0;
  return lineOf(text, text.length) - (text.endsWith('\n') ? 1 : 0);
}

/** Number of the line, from 1, in which the character at `offset` lies. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
