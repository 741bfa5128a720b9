// Reads the entries of a zip file. Playwright has a reader for its traces but does not let others import it.

import { readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

const inflate = promisify(inflateRaw);

export interface ZipFile {
  readonly names: readonly string[];
  /** The content, or null when there is no such entry, it is damaged, packed by another method or above the limit. */
  read(name: string): Promise<Buffer | null>;
}

export interface ZipLimits {
  archiveBytes: number;
  entryBytes: number;
}

interface Entry {
  method: number;
  packedBytes: number;
  headerAt: number;
}

const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const DIRECTORY_ENTRY = 0x02014b50;
const DIRECTORY_ENTRY_BYTES = 46;
const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;

/** Null when the file is missing, too large or no zip file that this reader knows (no zip64, no encryption). */
export function openZip(path: string, limits: ZipLimits): ZipFile | null {
  try {
    if (statSync(path).size > limits.archiveBytes) return null;
    const bytes = readFileSync(path);
    const entries = readDirectory(bytes);
    return {
      names: [...entries.keys()],
      read: async name => {
        const entry = entries.get(name);
        return entry ? await readEntry(bytes, entry, limits.entryBytes) : null;
      },
    };
  } catch {
    return null; // Node throws a RangeError for each offset that points outside of the file.
  }
}

/** The list at the end of the file. The sizes in front of the entries may be left open, those in the list never are. */
function readDirectory(bytes: Buffer): Map<string, Entry> {
  const end = findEndRecord(bytes);
  const entries = new Map<string, Entry>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new RangeError('no entry here');
    const nameBytes = bytes.readUInt16LE(at + 28);
    const nameAt = at + DIRECTORY_ENTRY_BYTES;
    entries.set(bytes.toString('utf8', nameAt, nameAt + nameBytes), {
      method: bytes.readUInt16LE(at + 10),
      packedBytes: bytes.readUInt32LE(at + 20),
      headerAt: bytes.readUInt32LE(at + 42),
    });
    at = nameAt + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

function findEndRecord(bytes: Buffer): number {
  const earliest = Math.max(bytes.length - END_RECORD_BYTES - LONGEST_COMMENT, 0);
  for (let at = bytes.length - END_RECORD_BYTES; at >= earliest; at--)
    if (bytes.readUInt32LE(at) === END_RECORD) return at;
  throw new RangeError('no end record');
}

async function readEntry(bytes: Buffer, entry: Entry, mostBytes: number): Promise<Buffer | null> {
  try {
    const { headerAt, packedBytes, method } = entry;
    if (bytes.readUInt32LE(headerAt) !== LOCAL_HEADER) return null;
    const start =
      headerAt + LOCAL_HEADER_BYTES + bytes.readUInt16LE(headerAt + 26) + bytes.readUInt16LE(headerAt + 28);
    const packed = bytes.subarray(start, start + packedBytes);
    if (packed.length !== packedBytes) return null;
    if (method === STORED) return packed.length <= mostBytes ? packed : null;
    return method === DEFLATED ? await inflate(packed, { maxOutputLength: mostBytes }) : null;
  } catch {
    return null;
  }
}
