import { expect, test } from 'vitest';
import { paintFor } from './terminal.ts';
import { terminalLine, terminalText } from './terminal-text.ts';

test.each([
  ['a plain text: ä 漢 🙂\n\tand its lines\r\n', 'a plain text: ä 漢 🙂\n\tand its lines\r\n'],
  ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
  ['\u001b[2J\u001b[31mred', '\\u001b[2J\\u001b[31mred'],
  ['over\rwritten \b\u007f', 'over\\u000dwritten \\u0008\\u007f'],
  ['\u009b2J and \u0085', '\\u009b2J and \\u0085'],
  ['\u202egnp.exe \u2066\u2069 \u200f \u2028', '\\u202egnp.exe \\u2066\\u2069 \\u200f \\u2028'],
  ['\u0000', '\\u0000'],
])('%j is printed as %j', (text, printed) => {
  expect(terminalText(text)).toBe(printed);
});

test('what has to stay in one line does', () => {
  expect(terminalLine('a\nb\tc\r\n')).toBe('a\\u000ab\\u0009c\\u000d\\u000a');
});

test('JSON stays the same JSON', () => {
  const value = { name: '\u001b[31m \u009b \u202e \u007f "\\u001b" \u2028' };
  const printed = terminalText(JSON.stringify(value));
  expect(printed).not.toMatch(/[\u007f-\u009f\u202e\u2028]/);
  expect(JSON.parse(printed)).toEqual(value);
});

test('of colours only those of this process come through', () => {
  const { red } = paintFor(true);
  expect(terminalText(red('ok \u001b[32mforged\u001b[0m'))).toBe('\u001b[31mok \\u001b[32mforged\\u001b[0m\u001b[39m');
  expect(paintFor(false).red('ok')).toBe('ok');
});
