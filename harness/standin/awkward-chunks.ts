// Cuts text into the pieces of a stream, on purpose where a careless reader stumbles.

/** Sizes of the pieces in characters: small at first, then growing so that long texts stay cheap. */
const FIRST_SIZES = [1, 2, 3, 5, 8, 13, 21, 34];
const LARGEST = 512;

/**
 * The pieces of `text`, in order, without an empty one. A piece that holds a backslash ends behind its last one, so that
 * escapes of JSON are split (`\` and `n"`). Whole characters only: the API never sends half of a surrogate pair.
 */
export function awkwardChunks(text: string): string[] {
  const characters = [...text];
  const chunks: string[] = [];
  for (let at = 0; at < characters.length; ) {
    const piece = characters.slice(at, at + sizeOf(chunks.length));
    const cut = piece.lastIndexOf('\\') + 1 || piece.length;
    chunks.push(piece.slice(0, cut).join(''));
    at += cut;
  }
  return chunks;
}

function sizeOf(index: number): number {
  return FIRST_SIZES[index] ?? Math.min(LARGEST, 2 ** (index - 2));
}
