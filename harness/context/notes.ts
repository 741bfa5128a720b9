// claude-progress.txt: notes from session to session, written whole and kept short.

/** Most bytes of the notes. What does not fit must be condensed by its author, not cut by us. */
export const NOTES_LIMIT_BYTES = 6_000;

/** Why these notes cannot be taken, as a sentence for the model; null when they can. */
export function notesProblem(content: string): string | null {
  if (content.trim() === '')
    return 'The notes are empty. Write what the next session needs: what works, what is open, what to look out for.';
  const bytes = Buffer.byteLength(content, 'utf8');
  if (bytes <= NOTES_LIMIT_BYTES) return null;
  return `The notes have ${bytes} bytes; at most ${NOTES_LIMIT_BYTES} are kept. Condense them: drop what the git log says, name files instead of quoting them.`;
}

/** With exactly one newline at the end. */
export function normalizeNotes(content: string): string {
  return `${content.trimEnd()}\n`;
}
