// Lines of a fixed width, coloured or not. Colour is laid on last, so it never counts as width.

import { styleText } from 'node:util';
import { columnsOf, wrapColumns } from './columns.js';
import { plainLabel, plainLine } from './plain-text.js';

export type Style = 'good' | 'bad' | 'doubtful' | 'strong' | 'faint' | 'none';

export interface InkOptions {
  /** Columns of a line. */
  width: number;
  color: boolean;
  /** Of the points of time; the system's own by default. */
  timeZone?: string;
}

export interface Block {
  /** Blanks before the label. */
  indent?: number;
  /** Short words before the text, which are not wrapped. */
  label?: string;
  /** Any text; made harmless here. */
  text: string;
  /** Blanks before the second line and those after it; default `indent + 2`. */
  rest?: number;
  /** Of the label, or of all when there is none. */
  style?: Style;
  /** Most lines. */
  most?: number;
}

const FORMATS = {
  good: 'green',
  bad: 'red',
  doubtful: 'yellow',
  strong: 'bold',
  faint: 'gray',
} as const;

export function paint(text: string, style: Style, { color }: Pick<InkOptions, 'color'>): string {
  if (!color || style === 'none' || text === '') return text;
  // Whether this is a terminal was decided by whoever asked for colour.
  return styleText(FORMATS[style], text, { validateStream: false });
}

/** One statement as lines: `  label: text that is long and goes on` / `    in the next line`. */
export function block(options: Block, ink: InkOptions): string[] {
  const { indent = 0, text, style = 'none', rest = indent + 2, most } = options;
  const label = plainLabel(options.label ?? '');
  const lead = label === '' ? '' : `${label} `;
  const lines = wrapColumns(plainLine(text), {
    width: ink.width,
    first: indent + columnsOf(lead),
    rest,
    ...(most === undefined ? {} : { most }),
  });
  const blanks = ' '.repeat(indent);
  return lines.map((line, index) => {
    if (label === '') return paint(index === 0 ? blanks + line : line, style, ink);
    return index === 0 ? `${blanks}${paint(label, style, ink)} ${line}`.trimEnd() : line;
  });
}
