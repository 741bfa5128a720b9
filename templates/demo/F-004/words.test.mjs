import assert from 'node:assert/strict';
import test from 'node:test';
import { countOfCards, emptyColumn } from './public/words.mjs';

test('a count is said as people say it', () => {
  assert.deepEqual([0, 1, 2].map(countOfCards), ['No cards', '1 card', '2 cards']);
});

test('every column has words for when it is empty', () => {
  for (const id of ['next', 'in-hand', 'done']) assert.match(emptyColumn(id), /^Nothing /);
});
