// What the first bytes of a picture say about it.

import type Anthropic from '@anthropic-ai/sdk';

export type ImageType = Anthropic.Base64ImageSource['media_type'];

const SIGNATURES: readonly { type: ImageType; at: number; bytes: Buffer }[] = [
  { type: 'image/png', at: 0, bytes: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  { type: 'image/jpeg', at: 0, bytes: Buffer.from([0xff, 0xd8, 0xff]) },
  { type: 'image/gif', at: 0, bytes: Buffer.from('GIF8') },
  { type: 'image/webp', at: 8, bytes: Buffer.from('WEBP') },
];

/** The type that the bytes themselves show, or undefined when they are no picture that the API takes. */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  return SIGNATURES.find(({ at, bytes: mark }) => bytes.subarray(at, at + mark.length).equals(mark))?.type;
}

/** Width and height in pixels from a PNG's header; undefined for the other formats. */
export function pngSize(bytes: Buffer): { width: number; height: number } | undefined {
  if (imageTypeOf(bytes) !== 'image/png' || bytes.length < 24) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
