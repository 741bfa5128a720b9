import { describe, expect, test } from 'vitest';
import { terminalText } from '../../harness/base/terminal-text.js';

describe('terminalText shows what a terminal would show', () => {
  test.each([
    ['plain text with a tab', 'a\tb\nc\n', 'a\tb\nc\n'],
    ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
    ['cursor movements', '\x1b[2K\x1b[1Gdone\x1b[?25h', 'done'],
    ['a link', '\x1b]8;;https://example.org\x1b\\text\x1b]8;;\x07', 'text'],
    ['a title', '\x1b]0;title\x07after', 'after'],
    ['a title that never ends takes no text with it', '\x1b]0;title\nafter', '0;title\nafter'],
    ['a sequence that the end cuts off', 'text\x1b[38;5', 'text'],
    ['two-character sequences', '\x1b7\x1b(Btext\x1b8', 'text'],
    ['line ends of Windows', 'a\r\nb\r\r\nc', 'a\nb\nc'],
    ['a progress bar', ' 10%\r 50%\r100%\nready', '100%\nready'],
    ['a progress bar that ends with a return', '10%\r20%\r', '20%'],
    ['a spinner', '|\b/\b-\bok', 'ok'],
    ['bold type of manual pages', 'N\bNA\bAM\bME\bE', 'NAME'],
    ['a backspace does not leave its line', 'a\n\bb', 'a\nb'],
    ['NUL and other control characters', 'a\0b\x07c\x7fd', 'a␀b␇c␡d'],
    ['C1 controls', 'a\x9bb', 'a\ufffdb'],
    ['a stray escape', 'a\x1b\nb', 'a␛\nb'],
  ])('%s', (_, raw, shown) => {
    expect(terminalText(raw)).toBe(shown);
  });

  test('half a megabyte of unfinished sequences takes no quadratic time', () => {
    expect(terminalText('\x1b]8;'.repeat(100_000))).toBe('8;'.repeat(100_000));
    expect(terminalText('\x1b[1;'.repeat(100_000))).toContain('␛');
    expect(terminalText(`\x1b[${'1;'.repeat(200_000)}`)).toBe('');
  });
});
