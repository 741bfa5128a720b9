import assert from 'node:assert/strict';
import test from 'node:test';
import { firstBoard } from './board.mjs';

test('a new board has the three columns in order', () => {
  assert.deepEqual(
    firstBoard().columns.map(column => column.title),
    ['Next', 'In hand', 'Done'],
  );
});

test('no two cards of a new board have the same id', () => {
  const ids = firstBoard().columns.flatMap(column => column.cards.map(card => card.id));
  assert.equal(new Set(ids).size, ids.length);
});
