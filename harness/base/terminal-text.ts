// What a terminal would show in the end of what a program printed: without escape sequences, overwriting and control characters.

/**
 * Sequences for colours, cursor, titles and links. A title or link that does not end on its line is text: only its
 * first two characters go. The last alternative is a sequence that the end of the text cuts off.
 */
const ESCAPE_SEQUENCE =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-Z\\-~]|\x1b(?:\[[0-?]*[ -/]*|[ -/]*)$/g;

/** Everything that is not text, but for tab and line feed. */
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Safe in a request body, and what a person reads: `␀` for NUL, `␛` for a stray escape, `\u{fffd}` for the C1 controls. */
export function terminalText(raw: string): string {
  let text = raw.includes('\x1b') ? raw.replace(ESCAPE_SEQUENCE, '') : raw;
  if (text.includes('\r')) text = overwritten(text);
  if (text.includes('\b')) text = backspaced(text);
  return text.replace(CONTROL, visible);
}

/** Of a line that was drawn again and again, as progress bars do, only its last state stays. */
function overwritten(text: string): string {
  return text
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map(line => (line.includes('\r') ? (line.split('\r').findLast(state => state !== '') ?? '') : line))
    .join('\n');
}

/** A backspace takes back the character before it on its line: spinners, and bold in manual pages. */
function backspaced(text: string): string {
  const kept: string[] = [];
  for (const character of text) {
    if (character !== '\b') kept.push(character);
    else if (kept.at(-1) !== '\n') kept.pop();
  }
  return kept.join('');
}

function visible(control: string): string {
  const code = control.charCodeAt(0);
  if (code === 0x7f) return '\u2421';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
}
