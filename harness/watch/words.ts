// Names of records as words for people.

/** `turn_limit` is `turn limit`: names of reasons stay what they are in records, and become words for people. */
export function inWords(name: string): string {
  return name.replace(/[._]/g, ' ');
}

/** What a session is about: `F-001 Quotes are shown`, or the title alone. */
export function topic({ feature, title }: { feature: string | null; title: string }): string {
  return `${feature ?? ''} ${title}`.trim();
}
