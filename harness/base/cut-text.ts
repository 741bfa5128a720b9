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
  return cutBetween(text, bytes, where, { head: cutHead, tail: cutTail });
}

/** As `cutMiddle`, in whole lines as long as there is one that fits. */
export function cutMiddleLines(text: string, bytes: number, where: string): string {
  return cutBetween(text, bytes, where, {
    head: (all, most) => {
      const head = cutHead(all, most);
      return head.includes('\n') ? head.slice(0, head.lastIndexOf('\n')) : head;
    },
    tail: (all, most) => {
      const tail = cutTail(all, most);
      return tail.includes('\n') ? tail.slice(tail.indexOf('\n') + 1) : tail;
    },
  });
}

type Cut = (text: string, bytes: number) => string;

function cutBetween(text: string, bytes: number, where: string, cut: { head: Cut; tail: Cut }): string {
  const size = Buffer.byteLength(text, 'utf8');
  if (size <= bytes) return text;
  const mark = (left: number) => `\n[… ${left} bytes left out; ${where} …]\n`;
  // No number that is left out has more digits than the size.
  const rest = Math.max(bytes - Buffer.byteLength(mark(size), 'utf8'), 0);
  const head = cut.head(text, Math.floor(rest / 2));
  const tail = cut.tail(text, Math.ceil(rest / 2));
  return `${head}${mark(size - Buffer.byteLength(head, 'utf8') - Buffer.byteLength(tail, 'utf8'))}${tail}`;
}

/** All before the first line feed. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
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
