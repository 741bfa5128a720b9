// Lines of a terminal, with their colours, as an SVG: sharp at any size, and small.

const FONT_SIZE = 13;
/** Of one character; the text is stretched to it, whatever font a reader has. */
const CELL = { width: 7.8, height: 19 };
const MARGIN = 18;
const BAR = 34;
const COLORS = { ground: '#15181d', bar: '#21262d', text: '#d5dae1', dot: '#3d444d' };
/** By the number of the escape code. */
const FORE = new Map([
  [31, '#ff7b72'],
  [32, '#6fcf7f'],
  [33, '#e3b341'],
  [34, '#79c0ff'],
  [35, '#d2a8ff'],
  [36, '#76e3ea'],
  [90, '#8b949e'],
]);
const PLAIN = { color: COLORS.text, bold: false };

/** @param {string[]} lines as printed, with escape codes. */
export function terminalSvg(lines, { columns }) {
  const rows = toRows(lines, columns);
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = Math.ceil(BAR + rows.length * CELL.height + 2 * MARGIN);
  const dots = [0, 1, 2].map(
    index => `<circle cx="${MARGIN + 4 + index * 18}" cy="${BAR / 2}" r="5.5" fill="${COLORS.dot}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Terminal output of a run">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${COLORS.ground}"/>`,
    `<path d="M0 ${BAR}V8a8 8 0 0 1 8-8H${width - 8}a8 8 0 0 1 8 8V${BAR}z" fill="${COLORS.bar}"/>`,
    ...dots,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}">`,
    ...rows.flatMap((row, index) => row.flatMap(run => textsOf(run, baseline(index)))),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function baseline(row) {
  return BAR + MARGIN + row * CELL.height + FONT_SIZE;
}

/** Rows of blanks collapse in an SVG: each piece between them is placed by itself. */
function textsOf({ text, column, style: { color, bold } }, y) {
  const weight = bold ? ' font-weight="bold"' : '';
  return [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: words, index }) => {
    const x = MARGIN + (column + [...text.slice(0, index)].length) * CELL.width;
    const length = [...words].length * CELL.width;
    return `<text x="${round(x)}" y="${round(y)}" textLength="${round(length)}" fill="${color}"${weight}>${escaped(words)}</text>`;
  });
}

/** Rows of runs of one style; what is wider than the terminal goes on in the next row, as there. */
function toRows(lines, columns) {
  return lines.flatMap(line => {
    const cells = cellsOf(line);
    const rows = [];
    for (let start = 0; start === 0 || start < cells.length; start += columns)
      rows.push(runsOf(cells.slice(start, start + columns)));
    return rows;
  });
}

/** A line as characters, each with its style. No style of ours goes on after the end of a line. */
function cellsOf(line) {
  let style = PLAIN;
  return line.split(/(\x1b\[[\d;]*m)/).flatMap(part => {
    const codes = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes === undefined) return [...part].map(char => ({ char, style }));
    style = codes.split(';').map(Number).reduce(styled, style);
    return [];
  });
}

function runsOf(cells) {
  const runs = [];
  for (const [column, { char, style }] of cells.entries()) {
    const last = runs.at(-1);
    if (last && last.style === style) last.text += char;
    else runs.push({ text: char, column, style });
  }
  return runs;
}

function styled(style, code) {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 22) return { ...style, bold: false };
  if (code === 39) return { ...style, color: COLORS.text };
  return FORE.has(code) ? { ...style, color: FORE.get(code) } : style;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function round(number) {
  return Math.round(number * 10) / 10;
}
