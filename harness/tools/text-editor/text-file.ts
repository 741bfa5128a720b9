// A file's bytes as text and back without loss, or a word why they are no text.

/** Text that turns back into the very bytes it came from. */
export interface TextFile {
  kind: 'text';
  /**
   * `utf8`: characters as they are, a byte order mark included. `bytes`: not valid UTF-8, so each byte is one character
   * (Latin-1); only ASCII may be put in, since nobody knows the file's real encoding.
   */
  encoding: 'utf8' | 'bytes';
  text: string;
}

export interface BinaryFile {
  kind: 'binary';
  /** What it is, with its article: "a PNG image", "binary". */
  what: string;
}

export const BYTE_ORDER_MARK = '\uFEFF';

export function decodeFile(bytes: Buffer): TextFile | BinaryFile {
  if (bytes.includes(0)) return { kind: 'binary', what: kindOfBinary(bytes) };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: 'text', encoding: 'utf8', text };
  } catch {
    const text = bytes.toString('latin1');
    return CONTROLS.test(text)
      ? { kind: 'binary', what: kindOfBinary(bytes) }
      : { kind: 'text', encoding: 'bytes', text };
  }
}

export function encodeFile(file: Pick<TextFile, 'encoding' | 'text'>): Buffer {
  return Buffer.from(file.text, file.encoding === 'utf8' ? 'utf8' : 'latin1');
}

export function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}

/** Control characters that no old text encoding uses, beside tab, line ends, form feed, backspace, shifts and escape. */
const CONTROLS = /[\x01-\x07\x10-\x1a\x1c-\x1f\x7f]/;

const SIGNATURES: readonly [start: string, what: string][] = [
  ['89504e47', 'a PNG image'],
  ['ffd8ff', 'a JPEG image'],
  ['47494638', 'a GIF image'],
  ['00000100', 'an icon image'],
  ['25504446', 'a PDF document'],
  ['504b0304', 'a ZIP archive'],
  ['1f8b', 'a gzip archive'],
  ['fffe', 'UTF-16 text'],
  ['feff', 'UTF-16 text'],
];

function kindOfBinary(bytes: Buffer): string {
  const start = bytes.subarray(0, 12).toString('hex');
  if (start.startsWith('52494646') && start.endsWith('57454250')) return 'a WebP image';
  if (start.slice(8).startsWith('6674797061766966')) return 'an AVIF image';
  return SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1] ?? 'binary';
}
