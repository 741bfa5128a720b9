// Which cards a search shows, and how the page says it.

/** The board with only those cards that have the word; upper and lower case do not matter. */
export function searchBoard(board, word) {
  const wanted = word.trim().toLowerCase();
  const has = card => card.title.toLowerCase().includes(wanted);
  return { columns: board.columns.map(column => ({ ...column, cards: column.cards.filter(has) })) };
}

export function describeFound(board) {
  const count = board.columns.reduce((sum, column) => sum + column.cards.length, 0);
  if (count === 0) return 'No card found';
  return count === 1 ? '1 card found' : `${count} cards found`;
}
