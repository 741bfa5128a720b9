// Draws the board that the server has.

const boardElement = document.getElementById('board');

function draw(board) {
  boardElement.replaceChildren(...board.columns.map(drawColumn));
}

function drawColumn(column) {
  const heading = element('h2', { id: `title-${column.id}`, textContent: column.title });
  const header = element('header', {}, drawIcon(column.id), heading);
  const cards = element('ul', { className: 'cards', role: 'list' }, ...column.cards.map(drawCard));
  const section = element('section', { className: 'column' }, header, cards);
  section.dataset.column = column.id;
  section.setAttribute('aria-labelledby', heading.id);
  return section;
}

function drawIcon(name) {
  const icon = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  icon.setAttribute('class', 'icon');
  icon.setAttribute('aria-hidden', 'true');
  icon.append(document.createElementNS('http://www.w3.org/2000/svg', 'use'));
  icon.firstChild.setAttribute('href', `/icons.svg#${name}`);
  return icon;
}

function drawCard(card) {
  const item = element('li', { className: 'card' });
  item.dataset.label = card.label ?? '';
  item.append(element('p', { className: 'card-title', textContent: card.title }));
  if (card.label) item.append(element('p', { className: 'label', textContent: card.label }));
  return item;
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const answer = await fetch('/api/board');
draw(await answer.json());
