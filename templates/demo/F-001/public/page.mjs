// Draws the board that the server has, and tells the server what people change.

const boardElement = document.getElementById('board');
const status = document.getElementById('status');

function draw(board) {
  boardElement.replaceChildren(...board.columns.map(drawColumn));
}

function drawColumn(column) {
  const heading = element('h2', { id: `title-${column.id}`, textContent: column.title });
  const count = element('span', { className: 'count', textContent: String(column.cards.length) });
  const header = element('header', {}, heading, count);
  const cards = element('ul', { className: 'cards', role: 'list' }, ...column.cards.map(drawCard));
  const section = element('section', { className: 'column' }, header, cards, drawNewCard(column));
  section.dataset.column = column.id;
  section.setAttribute('aria-labelledby', heading.id);
  return section;
}

function drawCard(card) {
  const item = element('li', { className: 'card' });
  item.append(element('p', { className: 'card-title', textContent: card.title }));
  if (card.label) item.append(element('p', { className: 'label', textContent: card.label }));
  return item;
}

function drawNewCard(column) {
  const field = element('input', {
    name: 'title',
    placeholder: 'Add a card',
    autocomplete: 'off',
    maxLength: 200,
  });
  field.setAttribute('aria-label', `New card in ${column.title}`);
  const form = element('form', { className: 'new-card' }, field);
  form.addEventListener('submit', async event => {
    event.preventDefault();
    if (!(await change('/api/cards', { column: column.id, title: field.value }))) return;
    boardElement.querySelector(`[data-column="${column.id}"] input`).focus();
  });
  return form;
}

/** Asks the server for a change and draws the board it answers with. Returns whether the change was made. */
async function change(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const result = await answer.json();
  status.textContent = answer.ok ? '' : result.error;
  if (answer.ok) draw(result);
  return answer.ok;
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const answer = await fetch('/api/board');
draw(await answer.json());
