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
