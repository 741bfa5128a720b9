// Globs as .gitignore has them, matched in time that no pattern can blow up: the app's own files hold such patterns.

export type PathTest = (names: readonly string[]) => boolean;

/**
 * A test for a path given as its names. `*` and `?` stay within a name, `**` crosses them, `[a-z]` and `[!a-z]` are
 * classes, a backslash takes the next character as it is. A glob without a slash fits at any depth.
 */
export function globTest(glob: string): PathTest {
  const trimmed = glob.replace(/^\.?\//, '');
  const anchored = glob.slice(0, -1).includes('/');
  const parts = trimmed.split('/').filter(part => part !== '');
  if (parts.length === 0) return () => false;
  const steps: Step[] = (anchored ? parts : ['**', ...parts]).map(part =>
    part === '**' ? 'any names' : readName(part),
  );
  // `a/**` is what lies in `a`, not `a` itself.
  if (steps.at(-1) === 'any names') steps.push(readName('*'));
  return names => fits(steps, names);
}

/** `{a,b}` written out, as shells do; a brace without its partner or without a comma is text. Null: too many. */
export function withoutBraces(glob: string, most = 64): string[] | null {
  const globs = [glob];
  for (let index = 0; index < globs.length; ) {
    const braces = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(globs[index] ?? '');
    if (!braces) {
      index++;
      continue;
    }
    const [, before = '', choices = '', after = ''] = braces;
    globs.splice(index, 1, ...choices.split(',').map(choice => `${before}${choice}${after}`));
    if (globs.length > most) return null;
  }
  return globs;
}

type Step = 'any names' | Piece[];
type Piece = { kind: 'star' } | { kind: 'one'; takes(character: string): boolean };

function readName(part: string): Piece[] {
  const pieces: Piece[] = [];
  const characters = [...part];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? '';
    const end = character === '[' ? classEnd(characters, index) : -1;
    if (character === '*') {
      if (pieces.at(-1)?.kind !== 'star') pieces.push({ kind: 'star' });
    } else if (character === '?') {
      pieces.push({ kind: 'one', takes: () => true });
    } else if (end > 0) {
      pieces.push({ kind: 'one', takes: readClass(characters.slice(index + 1, end)) });
      index = end;
    } else {
      if (character === '\\' && index + 1 < characters.length) index++;
      const literal = characters[index];
      pieces.push({ kind: 'one', takes: other => other === literal });
    }
  }
  return pieces;
}

/** Where a class ends; a bracket right behind its beginning belongs to it. */
function classEnd(characters: readonly string[], start: number): number {
  const first = start + 1 + (/[!^]/.test(characters[start + 1] ?? '') ? 1 : 0);
  return characters.indexOf(']', first + 1);
}

function readClass(body: readonly string[]): (character: string) => boolean {
  const negated = /[!^]/.test(body[0] ?? '');
  const members = negated ? body.slice(1) : body;
  const ranges: [low: string, high: string][] = [];
  for (let index = 0; index < members.length; index++) {
    const low = members[index] ?? '';
    const high = members[index + 1] === '-' ? members[index + 2] : undefined;
    ranges.push([low, high ?? low]);
    if (high !== undefined) index += 2;
  }
  return character => ranges.some(([low, high]) => low <= character && character <= high) !== negated;
}

/** All positions in the pattern that the names so far can lead to: as many steps as names times pattern. */
function fits(steps: readonly Step[], names: readonly string[]): boolean {
  let positions = closure(steps, [0]);
  for (const name of names) {
    const next = new Set<number>();
    for (const position of positions) {
      const step = steps[position];
      if (step === 'any names') next.add(position);
      else if (step !== undefined && fitsName(step, name)) next.add(position + 1);
    }
    positions = closure(steps, next);
  }
  return positions.has(steps.length);
}

/** `**` may also stand for no name at all. */
function closure(steps: readonly Step[], from: Iterable<number>): Set<number> {
  const all = new Set(from);
  for (const position of all) if (steps[position] === 'any names') all.add(position + 1);
  return all;
}

/** Goes back to the last star only: what an earlier one could take, the last one can take as well. */
function fitsName(pieces: readonly Piece[], name: string): boolean {
  const characters = [...name];
  let piece = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < characters.length) {
    const next = pieces[piece];
    if (next?.kind === 'one' && next.takes(characters[at] ?? '')) {
      piece++;
      at++;
    } else if (next?.kind === 'star') {
      star = piece++;
      starAt = at;
    } else if (star >= 0) {
      piece = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  return pieces.slice(piece).every(({ kind }) => kind === 'star');
}
