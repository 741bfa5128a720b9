import assert from 'node:assert/strict';
import test from 'node:test';
import { addCard, firstBoard, moveCard } from './board.mjs';

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

test('a new card goes to the end of its column, without spaces around it', () => {
  const board = firstBoard();
  assert.equal(addCard(board, 'next', { id: 'c8', title: '  Sow broad beans ' }), true);
  assert.deepEqual(board.columns[0].cards.at(-1), { id: 'c8', title: 'Sow broad beans' });
});

test('a card without words, or for a column that is not there, is not added', () => {
  const board = firstBoard();
  assert.equal(addCard(board, 'next', { id: 'c8', title: '   ' }), false);
  assert.equal(addCard(board, 'later', { id: 'c8', title: 'Sow broad beans' }), false);
  assert.deepEqual(board, firstBoard());
});

test('a card that is moved leaves its column and ends the next one', () => {
  const board = firstBoard();
  assert.equal(moveCard(board, 'c1'), true);
  assert.deepEqual(
    board.columns.map(column => column.cards.map(card => card.id)),
    [
      ['c2', 'c3'],
      ['c4', 'c5', 'c1'],
      ['c6', 'c7'],
    ],
  );
});

test('a card that is done, or not there, stays where it is', () => {
  const board = firstBoard();
  assert.equal(moveCard(board, 'c7'), false);
  assert.equal(moveCard(board, 'c99'), false);
  assert.deepEqual(board, firstBoard());
});
