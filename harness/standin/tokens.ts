// Counts tokens: a deterministic guess by bytes, never a tokenizer's answer.

import { pngSize } from './image-bytes.js';
import { type Block, type ResultBlock, resultBlocks } from './message-blocks.js';

export const BYTES_PER_TOKEN = 4;

/** Pixels per token, and the most tokens that one picture costs: larger ones are scaled down first. */
const PIXELS_PER_TOKEN = 750;
const MOST_IMAGE_TOKENS = 1600;

/** Tokens of what a model wrote. An answer without any text still costs one. */
export function outputTokens(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BYTES_PER_TOKEN));
}

/** Tokens of anything that goes into the prompt as JSON: a tool definition, a system block. */
export function tokensOfJson(json: string): number {
  return Math.ceil(Buffer.byteLength(json) / BYTES_PER_TOKEN);
}

/** Tokens of one content block; a picture counts by its size, not by its bytes. */
export function tokensOfBlock(block: Block | ResultBlock): number {
  if (block.type === 'image') return imageTokens(block.source);
  if (block.type !== 'tool_result') return tokensOfJson(JSON.stringify(block));
  const { content: _, ...frame } = block;
  const inner = resultBlocks(block).map(tokensOfBlock);
  return tokensOfJson(JSON.stringify(frame)) + inner.reduce((sum, tokens) => sum + tokens, 0);
}

type ImageSource = Extract<Block, { type: 'image' }>['source'];

function imageTokens(source: ImageSource): number {
  const size = source.type === 'base64' ? pngSize(Buffer.from(source.data, 'base64')) : undefined;
  if (size === undefined) return MOST_IMAGE_TOKENS;
  return Math.min(MOST_IMAGE_TOKENS, Math.ceil((size.width * size.height) / PIXELS_PER_TOKEN));
}
