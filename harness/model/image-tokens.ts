// The most tokens that a picture can cost, from the first bytes of the file.
//
// Source: https://platform.claude.com/docs/en/build-with-claude/vision. A picture costs about width x height / 750, is
// padded to multiples of 28 pixels, and is made smaller first when it is larger than the model reads: about 1,600 tokens
// on older models, 4,784 (2,576 pixels on the long edge) on those that read high resolution.

const MOST_TOKENS = 4784;
const PIXELS_PER_TOKEN = 750;
const PATCH = 28;

/** Base64 of a picture; undefined (a URL, a file id) costs as much as a picture can. */
export function imageTokens(base64: string | undefined): number {
  const size = base64 === undefined ? undefined : pngSize(base64);
  if (!size) return MOST_TOKENS;
  const { width, height } = size;
  const byArea = Math.ceil((width * height) / PIXELS_PER_TOKEN);
  const byPatches = Math.ceil(width / PATCH) * Math.ceil(height / PATCH);
  return Math.min(Math.max(byArea, byPatches), MOST_TOKENS);
}

/** Width and height stand at fixed places of a PNG's first chunk. Other formats are not looked into. */
function pngSize(base64: string): { width: number; height: number } | undefined {
  const head = Buffer.from(base64.slice(0, 32), 'base64');
  if (head.length < 24 || head.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return undefined;
  const width = head.readUInt32BE(16);
  const height = head.readUInt32BE(20);
  return width > 0 && height > 0 ? { width, height } : undefined;
}
