// The address of the Messages API that a run talks to, as it is named to people and kept on disk.

export const DEFAULT_API = 'https://api.anthropic.com';

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Without a slash at the end, and without user, password and query, which may hold a key. */
export function apiAddress(baseUrl: string | undefined): string {
  const { origin, pathname } = new URL(baseUrl || DEFAULT_API);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}
