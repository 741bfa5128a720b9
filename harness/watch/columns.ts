// How wide text is on a terminal, and fitting it: cut with an ellipsis, or wrapped between words.

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const ASCII = /^[\x20-\x7e]*$/;
/** Two columns each: East Asian scripts, full-width forms, emoji. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f100}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})|\ufe0f/u;
const NO_WIDTH = /^[\p{Mark}\p{Format}]+$/u;

/** A text block is never narrower than this, whatever stands before it. */
const NARROWEST = 10;

/** Columns that a line without control characters takes. */
export function columnsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of GRAPHEMES.segment(text)) columns += columnsOfGrapheme(segment);
  return columns;
}

/** The line itself when it fits, else its beginning and `…`. */
export function cutColumns(text: string, width: number): string {
  return columnsOf(text) <= width ? text : `${headColumns(text, width - 1)}…`;
}

/** Filled with blanks up to `width`. */
export function padColumns(text: string, width: number): string {
  return text + ' '.repeat(Math.max(width - columnsOf(text), 0));
}

export interface WrapOptions {
  width: number;
  /** Columns that are taken before the text of the first line. */
  first: number;
  /** Blanks before all other lines. */
  rest: number;
  /** Lines above this are cut away, and the last one ends in `…`. */
  most?: number;
}

/** One line as several: broken between words, and inside of one only where it is longer than a line. */
export function wrapColumns(text: string, { width, first, rest, most = Infinity }: WrapOptions): string[] {
  const room = (taken: number) => Math.max(width - taken, NARROWEST);
  if (most === 1) return [cutColumns(text, room(first))];
  const lines: string[] = [];
  let line = '';
  let left = room(first);
  const next = () => {
    lines.push(line);
    line = '';
    left = room(rest);
  };
  for (let word of text.split(' ')) {
    if (line !== '' && columnsOf(word) + 1 > left) next();
    while (line === '' && columnsOf(word) > left) {
      const head = headColumns(word, left) || word;
      line = head;
      word = word.slice(head.length);
      next();
    }
    if (word === '') continue;
    line += line === '' ? word : ` ${word}`;
    left = room(lines.length === 0 ? first : rest) - columnsOf(line);
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  const kept = lines.length > most ? [...lines.slice(0, most - 1), `${lines[most - 1]}…`] : lines;
  return kept.map((each, index) => {
    const fitted = cutColumns(each, room(index === 0 ? first : rest));
    return index === 0 ? fitted : ' '.repeat(rest) + fitted;
  });
}

function headColumns(text: string, width: number): string {
  if (ASCII.test(text)) return text.slice(0, Math.max(width, 0));
  let [columns, end] = [0, 0];
  for (const { segment } of GRAPHEMES.segment(text)) {
    columns += columnsOfGrapheme(segment);
    if (columns > width) break;
    end += segment.length;
  }
  return text.slice(0, end);
}

function columnsOfGrapheme(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}
