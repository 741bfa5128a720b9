// Takes secrets out of a text before it leaves the machine: known values in any encoding, and what has the shape of one.

const REMOVED = '[removed]';

/** Shorter values would be found by chance, in the middle of words. */
const SHORTEST_VALUE = 6;
/** Lines of a value of several lines that are secrets by themselves. */
const SHORTEST_LINE = 16;
/** A pattern covers this much of a very long value; what follows is taken with it. */
const LONGEST_PATTERN = 1024;
const LONGEST_PREFIX = 64;

/** What may be the rest of a value that begins like a known one but was cut off or changed. */
const RUN = '[\\w+/=.%~-]*';

/** @param values secrets that must not be told, as they are; those under six characters are passed over. */
export function redactor(values: readonly string[]): (text: string) => string {
  const known = [...new Set(values.flatMap(withLines))]
    .filter(value => value.length >= SHORTEST_VALUE)
    // A value that holds another one goes first, so that nothing of it is left.
    .sort((one, other) => other.length - one.length)
    .map(anyEncodingOf);
  return text => {
    const withoutKnown = known.reduce((left, pattern) => left.replace(pattern, REMOVED), text);
    return SHAPES.reduce((left, [pattern, by]) => left.replace(pattern, by), withoutKnown);
  };
}

/** Values of variables whose name says that they are secret, and passwords inside of addresses. */
export function secretValues(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!value) return [];
    const passwords = [...value.matchAll(ADDRESS)].flatMap(([, , , password = '']) => [
      password,
      decoded(password),
    ]);
    return name !== WORKING_FOLDER && SECRET_NAME.test(name) ? [value, ...passwords] : passwords;
  });
}

/** The shell's, and no password: as one it would take every path below it out of a text. */
const WORKING_FOLDER = 'PWD';

const SECRET_NAME = /(?:^|_)(?:API_?KEY|KEY|TOKEN|PWD|PASS)$|SECRET|PASSW|CREDENTIAL|PRIVATE_?KEY/i;

/** Scheme, user, password. In a password every character counts as one but for blanks, quotes and slashes. */
const ADDRESS = /([a-z][a-z0-9+.-]{1,20}:(?:\\{0,8}\/){2})([^\s"'<>/@:\\]*):([^\s"'<>/]+)@/gi;
/** Addresses of databases often carry a password with a bare slash. */
const DATABASE_ADDRESS =
  /((?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql):(?:\\{0,8}\/){2})([^\s"'<>/@:\\]*):([^\s"'<>]+)@/gi;
const ENCODED_ADDRESS = /([a-z][a-z0-9+.-]{1,20}%3a%2f%2f)([^\s"'<>/@:%]*)%3a((?:(?!%40)[^\s"'<>/])+)%40/gi;

/** A quoted value, one whose closing quote was cut off, or what stands before the next blank or quote. */
const VALUE =
  '(?!\\[removed\\])(?:(?<quote>\\\\{0,8}["\'`])(?:(?!\\k<quote>)[^\\n])*\\k<quote>|\\\\{0,8}["\'`][^\\n]*|[^\\s"\'`]+)';
const IS = '["\'`\\\\]*\\s*(?:=>|[:=]|%3[ad])\\s*';
const SECRET_WORD =
  'secret|passw(?:or)?d|passphrase|credential|(?:api|access|private|auth|signing|encryption)[_-]?key';
const WORD = '[A-Za-z0-9_.-]';

const SHAPES: readonly [RegExp, string][] = [
  [
    /-----BEGIN [A-Z0-9 ]*KEY[A-Z ]*-----(?:(?:(?!-----BEGIN)[\s\S])*?-----END [A-Z0-9 ]*-----|(?:(?:\s|\\+[nr])*[A-Za-z0-9+/=]+)*)/g,
    REMOVED,
  ],
  [DATABASE_ADDRESS, `$1$2:${REMOVED}@`],
  [ADDRESS, `$1$2:${REMOVED}@`],
  [ENCODED_ADDRESS, `$1$2%3A${REMOVED}%40`],
  [/\b((?:proxy-)?authorization["'`\\]*\s*[:=]\s*["'`\\]*)(?:[A-Za-z]+\s+)?[^\s"'`\\]+/gi, `$1${REMOVED}`],
  [/\b((?:set-)?cookie["'`\\]*\s*:\s*["'`\\]*)[^\n"'`\\]+/gi, `$1${REMOVED}`],
  [/\b(bearer(?:\s|%20|\+)+)[\w.~+/=-]{6,}/gi, `$1${REMOVED}`],
  [/sk-ant-[\w-]{4,}/g, REMOVED],
  [/\b[rs]k[-_](?:live|test|proj|svcacct|or)?[-_]?[A-Za-z0-9_-]{16,}/g, REMOVED],
  [/(?:AKIA|ASIA)[A-Z0-9]{12,}/g, REMOVED],
  [/gh[oprsu]_[A-Za-z0-9]{10,}|github_pat_\w{10,}|glpat-[\w-]{10,}|npm_[A-Za-z0-9]{20,}/g, REMOVED],
  [/xox[a-z]-[A-Za-z0-9-]{6,}|AIza[\w-]{30,}/g, REMOVED],
  [/eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, REMOVED],
  [
    new RegExp(
      `(?<!${WORD})(?<name>${WORD}*?(?:${SECRET_WORD})${WORD}*|${WORD}*[_.-](?:key|token|pwd|pass)|token|pwd)(?<is>${IS})${VALUE}`,
      'gi',
    ),
    `$<name>$<is>${REMOVED}`,
  ],
  [
    new RegExp(`(?<!${WORD})(?<name>[a-z][A-Za-z0-9]*(?:Key|Token|Password))(?<is>${IS})${VALUE}`, 'g'),
    `$<name>$<is>${REMOVED}`,
  ],
];

function withLines(value: string): string[] {
  const lines = value.split('\n').map(line => line.trim());
  return [value.trim(), ...(lines.length > 1 ? lines.filter(line => line.length >= SHORTEST_LINE) : [])];
}

/** One pattern for a value plain, percent-encoded, escaped, as entities, in base64 at any offset, and in hex. */
function anyEncodingOf(value: string): RegExp {
  // Several backslashes in a row are one token: escaping doubles them any number of times.
  const tokens = (value.match(/\\+|[^\\]/gu) ?? []).map(anyFormOf);
  const half = Math.min(Math.max(Math.ceil(tokens.length / 2), SHORTEST_VALUE), LONGEST_PREFIX);
  const rest = tokens.slice(half, LONGEST_PATTERN).join('');
  const tail = tokens.length > LONGEST_PATTERN ? RUN : '';
  // Of a value that a cut left half of, that half is not told either.
  const plain =
    tokens.length < 2 * SHORTEST_VALUE
      ? [tokens.join('')]
      : [`${tokens.slice(0, half).join('')}(?:${rest}${tail}|${RUN})`, tokens.slice(-half).join('')];
  const bytes = Buffer.from(value.slice(0, LONGEST_PATTERN), 'utf8');
  return new RegExp([...plain, ...base64Cores(bytes).map(base64Pattern), hexPattern(bytes)].join('|'), 'g');
}

const ESCAPED_AS: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't' };
const ENTITY: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

/** Escaping doubles backslashes again and again; without a bound a text of nothing else would take for ever. */
const SLASHES = '\\\\{1,16}';

/** A character as it is, or as percent-encoding, a JSON or JavaScript escape or an HTML entity would write it. */
function anyFormOf(token: string): string {
  if (token.startsWith('\\')) return '(?:(?:\\\\|%(?:25)*5[cC]){1,64})';
  const code = token.codePointAt(0) ?? 0;
  const percent = [...Buffer.from(token, 'utf8')].map(byte => `%(?:25)*${hexDigits(byte, 2)}`).join('');
  const units = Array.from(
    { length: token.length },
    (_, index) => `${SLASHES}u${hexDigits(token.charCodeAt(index), 4)}`,
  );
  const forms = [/\w/.test(token) ? token : `\\\\{0,16}${escapeForPattern(token)}`, percent, units.join('')];
  if (code < 0x100) forms.push(`${SLASHES}x${hexDigits(code, 2)}`);
  const named = ENTITY[token];
  forms.push(`&#0*${code};`, `&#[xX]0*${hexDigits(code, 1)};`, ...(named ? [`&${named};`] : []));
  const escaped = ESCAPED_AS[token];
  if (escaped) forms.push(`${SLASHES}${escaped}`);
  if (token === ' ') forms.push('\\+');
  return `(?:${forms.join('|')})`;
}

/** The characters of base64 that `bytes` alone decides, for each of the three places where they may begin. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map(offset => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
}

/** Both alphabets, broken into lines or not, percent-encoded or not. */
function base64Pattern(core: string): string {
  return [...core]
    .map(character => {
      if (character === '+') return '(?:[+-]|%(?:25)*2[bB])';
      if (character === '/') return '(?:\\\\{0,16}/|_|%(?:25)*2[fF])';
      return character;
    })
    .join('(?:\\s|\\\\{1,16}[nr])*')
    .concat('(?:[\\w+/-]?={1,2})?');
}

function hexPattern(bytes: Buffer): string {
  return [...bytes].map(byte => hexDigits(byte, 2)).join('[\\s:]?');
}

/** A number as a pattern of hex digits in either case. */
function hexDigits(value: number, width: number): string {
  return [...value.toString(16).padStart(width, '0')]
    .map(digit => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit))
    .join('');
}

function escapeForPattern(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
