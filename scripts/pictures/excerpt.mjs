// The telling parts of a long run: its start, the first red proof and what came of it, a crash, the end. What is left out
// is marked, and nothing is changed.

/** Of a row of calls that went well this many are shown. */
const CALLS_SHOWN = 1;
const CALL = /^\s+(\x1b\[\d+m)?ok\b/;

/** @param {string[]} lines as printed; sessions are set off by empty lines. */
export function excerpt(lines) {
  const blocks = blocksOf(lines);
  const wanted = telling(blocks);
  const shown = [];
  for (let index = 0; index < blocks.length; index++) {
    if (wanted.has(index)) {
      shown.push(...(shown.length > 0 ? [''] : []), ...shorten(blocks[index]));
    } else if (wanted.has(index - 1)) {
      const next = blocks.findIndex((_, later) => later > index && wanted.has(later));
      shown.push('', mark(next - index, 'session'));
    }
  }
  return shown;
}

function telling(blocks) {
  const firstWith = pattern => blocks.findIndex(block => block.some(line => pattern.test(line)));
  const end = firstWith(/^(\x1b\[\d+m)?done:/);
  const ending = blocks.map((_, index) => index).slice(end >= 0 ? end : -1);
  const wanted = [0, 1, firstWith(/verification red/), firstWith(/\(SIGKILL\)/), ...ending];
  return new Set(wanted.filter(index => index >= 0));
}

function blocksOf(lines) {
  const blocks = [[]];
  for (const line of lines) {
    if (line === '') blocks.push([]);
    else blocks.at(-1).push(line);
  }
  return blocks.filter(block => block.length > 0);
}

/** Long rows of calls are cut in the middle; the last of a row is often the one that matters. */
function shorten(block) {
  const shown = [];
  for (let index = 0; index < block.length; ) {
    const end = block.findIndex((line, later) => later >= index && !CALL.test(line));
    const row = block.slice(index, end < 0 ? block.length : end);
    if (row.length > CALLS_SHOWN + 2)
      shown.push(...row.slice(0, CALLS_SHOWN), mark(row.length - CALLS_SHOWN - 1, 'call'), row.at(-1));
    else shown.push(...row);
    index += row.length;
    if (end >= 0) shown.push(block[index++]);
  }
  return shown;
}

function mark(amount, noun) {
  return `  ⋮ ${amount} more ${noun}${amount === 1 ? '' : 's'}`;
}
