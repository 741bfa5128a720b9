// The name of a setting on the command line.

/** Where it is not the key in another spelling. */
const SHORTER: Readonly<Record<string, string>> = { budgetUsd: 'budget' };

/** `sessionMinutes` is `session-minutes`. */
export function flagOf(key: string): string {
  return SHORTER[key] ?? key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}
