import { expect, test } from 'vitest';
import { askOf } from '../../harness/standin/ask.js';
import { assistant, params, user } from './client.js';

const BRIEF = 'Build one feature.\n\nFeature: F-002\nSteps:\n1. Add a card.';

test('reads brief and feature in the first user message', () => {
  const ask = askOf(params({ messages: [user([{ type: 'text', text: BRIEF }])] }), 4);
  expect(ask).toMatchObject({ count: 4, brief: BRIEF, feature: 'F-002', turn: 0 });
});

test('joins the texts of a brief in several blocks', () => {
  const blocks = ['Read this.', 'Feature: F-009'].map(text => ({ type: 'text' as const, text }));
  expect(askOf(params({ messages: [user(blocks)] }), 1)).toMatchObject({
    brief: 'Read this.\nFeature: F-009',
    feature: 'F-009',
  });
});

test.each([
  'Set up the project.',
  'Feature: a board with cards',
  'The next Feature: F-001',
  ' Feature: F-001',
])('finds no feature in %j', brief => {
  expect(askOf(params({ messages: [user(brief)] }), 1).feature).toBeNull();
});

test('a later message does not change the feature', () => {
  const messages = [user('Plan.'), assistant('Yes.'), user('Feature: F-001')];
  expect(askOf(params({ messages }), 1).feature).toBeNull();
});

test('counts the turns and reads the results of the last one', () => {
  const use = (id: string) => ({ type: 'tool_use' as const, id, name: 'bash', input: {} });
  const ask = askOf(
    params({
      messages: [
        user(BRIEF),
        assistant([use('a')]),
        user([{ type: 'tool_result', tool_use_id: 'a', content: 'old' }]),
        assistant([use('b'), use('c'), use('d')]),
        user([
          {
            type: 'tool_result',
            tool_use_id: 'b',
            content: [
              { type: 'text', text: 'one' },
              { type: 'text', text: 'two' },
            ],
          },
          { type: 'tool_result', tool_use_id: 'c', content: 'bad', is_error: true },
          { type: 'tool_result', tool_use_id: 'd' },
          { type: 'text', text: 'Go on.' },
        ]),
      ],
    }),
    1,
  );
  expect(ask.turn).toBe(2);
  expect(ask.results).toEqual([
    { toolUseId: 'b', text: 'one\ntwo', isError: false },
    { toolUseId: 'c', text: 'bad', isError: true },
    { toolUseId: 'd', text: '', isError: false },
    { toolUseId: null, text: 'Go on.', isError: false },
  ]);
});
