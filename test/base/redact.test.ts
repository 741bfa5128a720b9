import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactor, secretValues } from '../../harness/base/redact.js';

const VALUE = 'p@ss/w"ord+\\ Ü%1&<x>';

describe('a known value', () => {
  it.each<[as: string, told: (value: string) => string]>([
    ['it is', value => value],
    ['encodeURIComponent writes it', encodeURIComponent],
    ['a query string writes it', value => new URLSearchParams({ q: value }).toString().slice(2)],
    ['a query string in a query string', value => encodeURIComponent(encodeURIComponent(value))],
    ['every byte percent-encoded', value => Buffer.from(value).toString('hex').replace(/../g, '%$&')],
    ['JSON writes it', value => JSON.stringify(value).slice(1, -1)],
    ['JSON in JSON in JSON', value => JSON.stringify(JSON.stringify(JSON.stringify(value))).slice(7, -7)],
    [
      'JSON that escapes all characters',
      value =>
        [...Buffer.from(value, 'utf16le').swap16().toString('hex').matchAll(/.{4}/g)]
          .map(([u]) => `\\u${u}`)
          .join(''),
    ],
    ['JSON with escaped slashes', value => JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/')],
    [
      'HTML writes it',
      value =>
        value
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&lt;')
          .replaceAll('>', '&gt;')
          .replaceAll('"', '&#34;'),
    ],
    ['hex', value => Buffer.from(value).toString('hex').toUpperCase()],
  ])('is removed as %s', (_, told) => {
    const text = redactor([VALUE])(`before ${told(VALUE)} after`);
    expect(text).toMatch(/^before \S*\[removed\]\S* after$/);
    expect(text).not.toMatch(/ord|6f7264/i);
  });

  it.each(['base64', 'base64url'] as const)('is removed as %s, wherever in the text it began', encoding => {
    for (const lead of ['', 'u', 'us', 'user:']) {
      const coded = Buffer.from(`${lead}${VALUE}:tail`).toString(encoding);
      const text = redactor([VALUE])(`Basic ${coded}`);
      expect(text).toContain('[removed]');
      for (const word of text.split(/\[removed\]|\s/)) {
        expect(Buffer.from(word, encoding).toString()).not.toContain('ord');
      }
    }
  });

  it('is removed from base64 that was broken into lines', () => {
    const value = 'k'.repeat(30) + 'Z'.repeat(40);
    const coded = (
      Buffer.from(value)
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).join('\n');
    expect(redactor([value])(coded)).toMatch(/^\[removed\]=*$/);
  });

  it('is not told by one half either, when a cut left only that', () => {
    const value = 'correct-horse-battery-staple';
    expect(redactor([value])(`error: correct-horse-batt… and on`)).toBe('error: [removed]… and on');
    expect(redactor([value])('…tery-staple, no: horse-battery-staple')).toBe(
      '…tery-staple, no: horse-[removed]',
    );
  });

  it('goes whole when it holds another one, and by each long line when it has several', () => {
    expect(redactor(['abcdef', 'abcdef-ghijkl'])('x abcdef-ghijkl y abcdef z')).toBe(
      'x [removed] y [removed] z',
    );
    expect(
      redactor(['first line that is long\nsecond line that is long\n'])('(second line that is long)'),
    ).toBe('([removed])');
  });

  it('of any characters is gone from a JSON body, and text without it stays', () => {
    fc.assert(
      fc.property(
        fc
          .string({ minLength: 6, maxLength: 40, unit: 'grapheme' })
          .filter(value => value.trim().length >= 6 && value.isWellFormed()),
        value => {
          const redact = redactor([value]);
          const tell = (text: string) =>
            JSON.stringify({ a: `«${text}»`, b: `«${encodeURIComponent(text)}»` });
          expect(redact(tell(value))).not.toContain(value.trim());
          expect(redact(tell(value))).not.toContain(JSON.stringify(value.trim()).slice(1, -1));
          expect(redact(tell(value))).not.toContain(encodeURIComponent(value.trim()));
        },
      ),
      { numRuns: 300 },
    );
    expect(redactor([VALUE])('F-001: expected "3 quotes", received "2 quotes" at e2e/F-001.spec.ts:14')).toBe(
      'F-001: expected "3 quotes", received "2 quotes" at e2e/F-001.spec.ts:14',
    );
  });

  it('is not looked for when it is too short to be one', () => {
    expect(redactor(['', 'a', 'true'])('true as a rule')).toBe('true as a rule');
  });
});

describe('the shape of a secret', () => {
  it.each([
    ['sk-ant-api03-AbC_d-12345', '[removed]'],
    ['curl -H "Authorization: Bearer abc.def-123"', 'curl -H "Authorization: [removed]"'],
    ['Bearer abcdef123456 was refused', 'Bearer [removed] was refused'],
    ['authorization: Basic dXNlcjpwYXNz', 'authorization: [removed]'],
    ['key AKIAIOSFODNN7EXAMPLE here', 'key [removed] here'],
    ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', '[removed]'],
    ['xoxb-123456789-abcdef', '[removed]'],
    ['a -----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY----- b', 'a [removed] b'],
    ['a -----BEGIN PRIVATE KEY-----\\nMIIEabc\\nxyz', 'a [removed]'],
    ['postgres://app:hunter2@db:5432/x', 'postgres://app:[removed]@db:5432/x'],
    ['postgres://app:hun/ter@2@db:5432/x', 'postgres://app:[removed]@db:5432/x'],
    ['https://u:p%40ss@host/path', 'https://u:[removed]@host/path'],
    ['postgres%3A%2F%2Fapp%3Ahunter2%40db', 'postgres%3A%2F%2Fapp%3A[removed]%40db'],
    ['postgres:\\/\\/app:hunter2@db', 'postgres:\\/\\/app:[removed]@db'],
    ['redis://:hunter2@cache', 'redis://:[removed]@cache'],
    ['ANTHROPIC_API_KEY=abc def', 'ANTHROPIC_API_KEY=[removed] def'],
    ['DEPLOY_TOKEN="with blanks in it" next', 'DEPLOY_TOKEN=[removed] next'],
    ["MY_SECRET_THING='x y' next", 'MY_SECRET_THING=[removed] next'],
    ['{"db_password": "hunter 2", "user": "x"}', '{"db_password": [removed], "user": "x"}'],
    ['{\\"apiKey\\": \\"hunter 2\\", \\"user\\": \\"x\\"}', '{\\"apiKey\\": [removed], \\"user\\": \\"x\\"}'],
    ['PASSWORD="cut off before its end', 'PASSWORD=[removed]'],
    ['https://host/?token=abc', 'https://host/?token=[removed]'],
    ['accessToken: abc', 'accessToken: [removed]'],
    ['Set-Cookie: sid=abc; Path=/', 'Set-Cookie: [removed]'],
    ['eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSM', '[removed]'],
  ])('%s', (text, told) => {
    expect(redactor([])(text)).toBe(told);
  });

  it.each([
    'Type the key into the field and press Enter',
    'monkey: 3, hotkey=ctrl+s',
    'https://host:8080/@user/path',
    'http://127.0.0.1:4117/boards?page=2',
    'expected 3 passes, received 2',
    'longhaul resume /home/me/my-app --budget 30',
  ])('is not seen in: %s', text => {
    expect(redactor([])(text)).toBe(text);
  });
});

it('reads long texts in reasonable time', () => {
  const redact = redactor(['k'.repeat(200), 'v-'.repeat(2_000)]);
  const began = performance.now();
  for (const text of [
    'a'.repeat(200_000),
    'token '.repeat(30_000),
    '\\'.repeat(100_000),
    'x://'.repeat(40_000),
    'A:"'.repeat(50_000),
    '-----BEGIN KEY-----'.repeat(5_000),
  ]) {
    redact(text);
  }
  expect(performance.now() - began).toBeLessThan(20_000);
});

it('secret values of an environment are those with a telling name, and passwords in addresses', () => {
  expect(
    secretValues({
      ANTHROPIC_API_KEY: 'k1',
      GH_TOKEN: 'k2',
      DATABASE_URL: 'postgres://a:b%2Fc@h/d',
      MY_SECRET: 'k3',
      PATH: '/bin',
      KEYBOARD: 'us',
      EMPTY_TOKEN: '',
      PWD: '/home/me/apps',
      MYSQL_PWD: 'k4',
    }),
  ).toEqual(['k1', 'k2', 'b%2Fc', 'b/c', 'k3', 'k4']);
});
