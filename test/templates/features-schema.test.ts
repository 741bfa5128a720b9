import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';
import { demoFiles } from '../../harness/standin/demo/content.js';

const schema = JSON.parse(readFileSync(join(packageRoot, 'templates', 'features.schema.json'), 'utf8'));
const accepts = new Ajv2020({ strict: true }).compile(schema);

const entry = {
  id: 'F-001',
  category: 'functional',
  description: 'A card can be added',
  steps: ['Open the board', 'The card is there'],
  passes: false,
};
const without = (key: keyof typeof entry) => ({ ...entry, [key]: undefined });
const many = (count: number) => Array.from({ length: count }, (_, index) => ({ ...entry, id: `F-${index}` }));

/** As it would stand in the file: a missing field is not there at all. */
const written = (data: unknown) => JSON.parse(JSON.stringify(data));

describe('the schema of features.json', () => {
  test("takes the demo's list", () => {
    const file = demoFiles('initializer').find(({ path }) => path === 'features.json');
    expect(accepts(JSON.parse(file?.text ?? ''))).toBe(true);
  });

  test.each([
    [
      'every category',
      ['functional', 'style', 'accessibility', 'performance', 'security'].map(category => ({
        ...entry,
        category,
      })),
    ],
    ['300 entries', many(300)],
    ['dependencies', [{ ...entry, depends_on: ['F-002', 'F-003'] }]],
    ['no dependencies', [{ ...entry, depends_on: [] }]],
    ['40 steps', [{ ...entry, steps: Array(40).fill('Look') }]],
    [
      'the longest id, description and step',
      [{ ...entry, id: 'a'.repeat(64), description: 'd'.repeat(500), steps: ['s'.repeat(500)] }],
    ],
    ['500 characters that take more bytes', [{ ...entry, description: '🌱'.repeat(500) }]],
  ])('takes %s', (_what, data) => {
    expect(accepts(written(data))).toBe(true);
  });

  test.each([
    ['an object', { features: [entry] }],
    ['an empty list', []],
    ['301 entries', many(301)],
    ['an entry that is no object', ['F-001']],
    ['an entry without id', [without('id')]],
    ['an entry without category', [without('category')]],
    ['an entry without description', [without('description')]],
    ['an entry without steps', [without('steps')]],
    ['an entry without passes', [without('passes')]],
    ['a field of its own', [{ ...entry, priority: 1 }]],
    ['an empty id', [{ ...entry, id: '' }]],
    ['an id with a slash', [{ ...entry, id: '../F-001' }]],
    ['an id with a newline', [{ ...entry, id: 'F-001\n' }]],
    ['an id of 65 characters', [{ ...entry, id: 'a'.repeat(65) }]],
    ['a number as id', [{ ...entry, id: 1 }]],
    ['an unknown category', [{ ...entry, category: 'ux' }]],
    ['an empty description', [{ ...entry, description: '' }]],
    ['a blank description', [{ ...entry, description: ' \n' }]],
    ['a description of 501 characters', [{ ...entry, description: 'd'.repeat(501) }]],
    ['no steps', [{ ...entry, steps: [] }]],
    ['41 steps', [{ ...entry, steps: Array(41).fill('Look') }]],
    ['a blank step', [{ ...entry, steps: ['Open the board', '  '] }]],
    ['a step of 501 characters', [{ ...entry, steps: ['s'.repeat(501)] }]],
    ['a step that is no text', [{ ...entry, steps: [{ text: 'Open the board' }] }]],
    ['one text for all steps', [{ ...entry, steps: 'Open the board' }]],
    ['passes as text', [{ ...entry, passes: 'false' }]],
    ['passes as null', [{ ...entry, passes: null }]],
    ['one id as dependencies', [{ ...entry, depends_on: 'F-002' }]],
    ['a dependency twice', [{ ...entry, depends_on: ['F-002', 'F-002'] }]],
    ['a dependency that is no id', [{ ...entry, depends_on: ['F 2'] }]],
  ])('refuses %s', (_what, data) => {
    expect(accepts(written(data))).toBe(false);
  });
});
