// A model's regular expression, in the manner of grep or ripgrep, as one of JavaScript, or where it goes wrong.

export type CompiledPattern = { ok: true; regex: RegExp } | { ok: false; problem: string };

export function compilePattern(pattern: string, { ignoreCase }: { ignoreCase: boolean }): CompiledPattern {
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  try {
    const source = new Translation(pattern, inline?.[0].length ?? 0).source();
    const flags = ignoreCase || inline?.[1]?.includes('i') ? 'iu' : 'u';
    return { ok: true, regex: new RegExp(source, flags) };
  } catch (error) {
    if (error instanceof Flaw) return { ok: false, problem: describe(pattern, error) };
    if (error instanceof SyntaxError) return { ok: false, problem: describeWhole(pattern, error) };
    throw error;
  }
}

/** Something that is wrong at a place of the pattern. */
class Flaw extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** Escapes that mean the same in JavaScript; digits are references to groups. */
const SHARED_ESCAPES = /^[dDwWsSbBtfvr0-9]$/;
/** What a backslash must stay before, outside of a class and inside. */
const SYNTAX = /^[\^$\\.*+?()[\]{}|/]$/;
const SYNTAX_IN_CLASS = /^[\^\\\]\-[]$/;
const BOUNDARIES: Readonly<Record<string, string>> = { A: '^', z: '$', Z: '$' };
const QUANTIFIER = /^\{(\d+)(?:,(\d*))?\}/;
const POSIX: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\s',
  blank: ' \\t',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
  punct: '!-\\/:-@\\[-`\\{-~',
};

/** A part of a class; `single` when it stands for one character and can begin or end a range. */
interface ClassMember {
  source: string;
  single: boolean;
}

/** A part of the pattern in JavaScript, and whether a repetition may follow it. */
type Piece = [source: string, repeatable: boolean];

class Translation {
  readonly #pattern: string;
  #at: number;
  /** Where the open groups begin. */
  readonly #open: number[] = [];
  #repeatable = false;

  constructor(pattern: string, start: number) {
    this.#pattern = pattern;
    this.#at = start;
  }

  source(): string {
    let source = '';
    while (this.#at < this.#pattern.length) {
      const [piece, repeatable] = this.#next();
      source += piece;
      this.#repeatable = repeatable;
    }
    const open = this.#open.at(-1);
    if (open !== undefined) throw new Flaw('this ( is never closed', open);
    return source;
  }

  #next(): Piece {
    const at = this.#at;
    const character = String.fromCodePoint(this.#pattern.codePointAt(at) ?? 0);
    const quantifier = /[*+?{]/.test(character) ? this.#quantifier(character) : undefined;
    if (quantifier) return quantifier;
    if (character === '\\') return this.#escape(false);
    if (character === '[') return [this.#class(), true];
    if (character === '(') return this.#group();
    this.#at += character.length;
    if (character === ')') {
      if (this.#open.pop() === undefined) throw new Flaw('there is no ( for this )', at);
      return [')', true];
    }
    if (/[|^$]/.test(character)) return [character, false];
    // A brace or bracket that begins nothing is itself: people search for code.
    return [/[{}\]]/.test(character) ? `\\${character}` : character, true];
  }

  /** A repetition, or undefined for a brace that is none. */
  #quantifier(character: string): Piece | undefined {
    const [bounds, low, high] = QUANTIFIER.exec(this.#pattern.slice(this.#at)) ?? [];
    if (character === '{' && !(bounds && this.#repeatable)) return undefined;
    const sign = bounds ?? character;
    if (!this.#repeatable) throw new Flaw(`there is nothing that ${sign} could repeat`, this.#at);
    if (high && Number(high) < Number(low)) throw new Flaw('the numbers are out of order', this.#at);
    this.#at += sign.length;
    const lazy = this.#pattern[this.#at] === '?';
    if (lazy) this.#at++;
    return [lazy ? `${sign}?` : sign, false];
  }

  #group(): Piece {
    const rest = this.#pattern.slice(this.#at);
    const opening = /^\((?:\?(?::|=|!|<=|<!|P?<[A-Za-z_]\w*>))?/.exec(rest)?.[0] ?? '(';
    if (opening === '(' && rest[1] === '?') {
      throw new Flaw('this kind of group is not known here; for any case set ignoreCase', this.#at);
    }
    this.#open.push(this.#at);
    this.#at += opening.length;
    return [opening.replace('?P<', '?<'), false];
  }

  #escape(inClass: boolean): Piece {
    const start = this.#at;
    const rest = this.#pattern.slice(start + 1);
    const long =
      /^(?:x\{[0-9A-Fa-f]{1,6}\}|x[0-9A-Fa-f]{2}|u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|[pP]\{[^}]*\}|[pP][A-Z]|k<\w+>)/.exec(
        rest,
      )?.[0];
    const next = long ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
    if (rest === '') throw new Flaw('nothing follows the backslash', start);
    this.#at += 1 + next.length;
    if (long) return [checked(longEscape(long), start), true];
    if (next === 'n') throw new Flaw('a search goes line by line, so no match holds a line break', start);
    if (SHARED_ESCAPES.test(next)) return [`\\${next}`, !/[bB]/.test(next)];
    const boundary = inClass ? undefined : BOUNDARIES[next];
    if (boundary) return [boundary, false];
    if (/[A-Za-z]/.test(next)) throw new Flaw(`\\${next} has no meaning`, start);
    return [(inClass ? SYNTAX_IN_CLASS : SYNTAX).test(next) ? `\\${next}` : next, true];
  }

  #class(): string {
    const start = this.#at;
    const negated = this.#pattern[start + 1] === '^';
    this.#at += negated ? 2 : 1;
    const members: ClassMember[] = [];
    for (let first = true; first || this.#pattern[this.#at] !== ']'; first = false) {
      if (this.#at >= this.#pattern.length) throw new Flaw('this [ is never closed', start);
      members.push(this.#classMember());
    }
    this.#at++;
    const body = members.map(({ source }, index) => {
      // A range needs a character on both sides; elsewhere a hyphen is itself.
      const isRange = members[index - 1]?.single && members[index + 1]?.single;
      return source === '-' && !isRange ? '\\-' : source;
    });
    return checked(`[${negated ? '^' : ''}${body.join('')}]`, start);
  }

  #classMember(): ClassMember {
    const at = this.#at;
    const rest = this.#pattern.slice(at);
    if (rest.startsWith('\\')) {
      const source = this.#escape(true)[0];
      return { source, single: !/^\\[dDwWsSpP]/.test(source) };
    }
    const posix = /^\[:(\^?)([a-z]+):\]/.exec(rest);
    if (posix) {
      const members = POSIX[posix[2] ?? ''];
      if (members === undefined || posix[1]) throw new Flaw(`${posix[0]} is not known here`, at);
      this.#at += posix[0].length;
      return { source: members, single: false };
    }
    const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    this.#at += character.length;
    return { source: /[[\]^]/.test(character) ? `\\${character}` : character, single: true };
  }
}

function longEscape(text: string): string {
  if (text.startsWith('x{')) return `\\u${text.slice(1)}`;
  if (/^[pP][A-Z]$/.test(text)) return `\\${text[0]}{${text[1]}}`;
  return `\\${text}`;
}

/** A piece that stands by itself is tried by itself, so that a flaw has a place. */
function checked(source: string, at: number): string {
  try {
    if (!source.startsWith('\\k')) new RegExp(source, 'u');
    return source;
  } catch (error) {
    throw new Flaw(reasonOf(error), at);
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(message.lastIndexOf(': ') + 2).toLowerCase();
}

/** Characters of the pattern that are shown around the place. */
const SHOWN = 60;

function describe(pattern: string, { message, at }: Flaw): string {
  const from = Math.max(at - SHOWN, 0);
  const part = pattern.slice(from, at + SHOWN).replace(/[\t\r]/g, ' ');
  return `The pattern is no valid regular expression: ${message} (character ${at + 1}).\n  ${part}\n  ${' '.repeat(at - from)}^\nA backslash makes a character stand for itself, such as \\( or \\[.`;
}

function describeWhole(pattern: string, error: SyntaxError): string {
  return `The pattern is no valid regular expression: ${reasonOf(error)} in ${pattern.slice(0, 2 * SHOWN)}`;
}
