// What a board is: three columns of cards, in the order in which they are shown. Plain data, no files, no requests.

/** The board that a new plot starts with. */
export function firstBoard() {
  return {
    columns: [
      {
        id: 'next',
        title: 'Next',
        cards: [
          { id: 'c1', title: 'Mend the water butt', label: 'Shed' },
          { id: 'c2', title: 'Order seed potatoes', label: 'Seeds' },
          { id: 'c3', title: 'Ask Ida for the gate key', label: 'People' },
        ],
      },
      {
        id: 'in-hand',
        title: 'In hand',
        cards: [
          { id: 'c4', title: 'Turn the compost', label: 'Beds' },
          { id: 'c5', title: 'Water the seedlings', label: 'Seeds' },
        ],
      },
      {
        id: 'done',
        title: 'Done',
        cards: [
          { id: 'c6', title: 'Sharpen the hoes', label: 'Shed' },
          { id: 'c7', title: 'Prune the currants', label: 'Beds' },
        ],
      },
    ],
  };
}

/** Puts a new card at the end of a column. Returns whether it could: without words there is no card. */
export function addCard(board, columnId, card) {
  const column = board.columns.find(({ id }) => id === columnId);
  const title = String(card.title ?? '').trim();
  if (!column || !title) return false;
  column.cards.push({ id: card.id, title });
  return true;
}

/** Moves a card to the end of the column after its own. Returns whether it could: after Done there is none. */
export function moveCard(board, cardId) {
  const from = board.columns.findIndex(({ cards }) => cards.some(({ id }) => id === cardId));
  const to = from === -1 ? undefined : board.columns[from + 1];
  if (!to) return false;
  const { cards } = board.columns[from];
  to.cards.push(
    ...cards.splice(
      cards.findIndex(({ id }) => id === cardId),
      1,
    ),
  );
  return true;
}
