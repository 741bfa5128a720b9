import assert from 'node:assert/strict';
import test from 'node:test';
import { firstBoard } from './board.mjs';
import { describeFound, searchBoard } from './public/search.mjs';

const titles = board => board.columns.flatMap(column => column.cards.map(card => card.title));

test('a search leaves the cards with the word, in whatever column and case', () => {
  const found = searchBoard(firstBoard(), ' WATER ');
  assert.deepEqual(titles(found), ['Mend the water butt', 'Water the seedlings']);
  assert.equal(describeFound(found), '2 cards found');
});

test('a search that finds nothing leaves three empty columns', () => {
  const found = searchBoard(firstBoard(), 'greenhouse');
  assert.deepEqual(
    found.columns.map(column => column.cards),
    [[], [], []],
  );
  assert.equal(describeFound(found), 'No card found');
});

test('a search for nothing leaves the board as it is', () => {
  assert.deepEqual(searchBoard(firstBoard(), ''), firstBoard());
});
