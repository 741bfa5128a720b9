// The parts of a brief, found by their headings.

/** The text below a heading. @throws when the heading is missing or nothing stands below it. */
export function sectionOf(brief: string, title: string): string {
  const heading = `## ${title}\n`;
  const start = `\n${brief}`.indexOf(`\n${heading}`);
  if (start === -1) throw new Error(`the brief has no section "${title}"`);
  const rest = brief.slice(start + heading.length);
  const end = `\n${rest}`.indexOf('\n## ');
  const text = (end === -1 ? rest : rest.slice(0, end)).trim();
  if (text === '') throw new Error(`the section "${title}" of the brief is empty`);
  return text;
}
