import { describe, expect, it } from 'vitest';
import { explainNoMatch } from '../../harness/tools/text-editor/explain-no-match.js';

describe('a text that is not there', () => {
  it.each([
    ['a letter left out', '<h1>My plants</h1>', '<h1>My plant</h1>', 2],
    ['a word changed', '  return store.save(board, true);', '  return store.write(board, true);', 2],
    ['a letter turned round', "form.sumbit('x');", "form.submit('x');", 2],
  ])('is explained by the line most like it: %s', (_, line, wanted, number) => {
    const text = `first line of something else\n${line}\nlast line, unlike\n`;
    expect(explainNoMatch(text, wanted, 'new')).toContain(`The line most like it is line ${number}`);
    expect(explainNoMatch(text, wanted, 'new')).toContain(line);
  });

  it('is said to be unlike everything only when it is', () => {
    expect(explainNoMatch('alpha\nbeta\n', 'const answer = 42;', 'new')).toContain(
      'No line of the file is like it',
    );
  });
});
