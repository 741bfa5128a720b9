// Cutting text to a number of bytes without ever splitting a character.

/** The longest prefix of `text` with at most `bytes` UTF-8 bytes. */
export function cutHead(text: string, bytes: number): string {
  const buffer = Buffer.from(text, 'utf8');
  if (buffer.length <= bytes) return text;
  let end = Math.max(bytes, 0);
  while (end > 0 && isContinuation(buffer[end])) end--;
  return buffer.toString('utf8', 0, end);
}

/** The longest suffix of `text` with at most `bytes` UTF-8 bytes. */
export function cutTail(text: string, bytes: number): string {
  const buffer = Buffer.from(text, 'utf8');
  if (buffer.length <= bytes) return text;
  let start = buffer.length - Math.max(bytes, 0);
  while (start < buffer.length && isContinuation(buffer[start])) start++;
  return buffer.toString('utf8', start);
}

/** Head and tail of a text that is too long, with a line between them that says how much is left out and where it is. */
export function cutMiddle(text: string, bytes: number, where: string): string {
  const size = Buffer.byteLength(text, 'utf8');
  if (size <= bytes) return text;
  const mark = `\n[… ${size - bytes} bytes left out; ${where} …]\n`;
  const rest = Math.max(bytes - Buffer.byteLength(mark, 'utf8'), 0);
  return `${cutHead(text, Math.floor(rest / 2))}${mark}${cutTail(text, Math.ceil(rest / 2))}`;
}

/** One line of at most `bytes`, for lists and records. */
export function oneLine(text: string, bytes: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return Buffer.byteLength(line, 'utf8') <= bytes
    ? line
    : `${cutHead(line, Math.max(bytes - ELLIPSIS_BYTES, 0))}…`;
}

const ELLIPSIS_BYTES = 3;

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
