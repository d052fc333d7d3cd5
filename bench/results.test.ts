import { expect, test } from 'vitest';
import { replaceResults } from './results.ts';

test('a results file has the newest run of each benchmark, in its place', () => {
  const table = (title: string, value: string) => ({
    title,
    columns: ['a', 'b'],
    rows: [[value, '1']],
    note: 'A note.',
  });
  const first = replaceResults('# Results\n\nAll.\n', 'Monday', [table('One', 'x'), table('Two, more', 'y')]);
  expect(first).toBe(
    '# Results\n\nAll.\n\n## One\n\nMonday\n\n| a | b |\n|---|---|\n| x | 1 |\n\nA note.\n\n' +
      '## Two, more\n\nMonday\n\n| a | b |\n|---|---|\n| y | 1 |\n\nA note.\n',
  );
  const again = replaceResults(first, 'Tuesday', [table('One', 'z'), table('Three', 'w')]);
  expect(again.match(/^## .*|^\| [x-z].*|^[A-Z]\w+day/gm)).toEqual([
    ...['## One', 'Tuesday', '| z | 1 |'],
    ...['## Two, more', 'Monday', '| y | 1 |'],
    ...['## Three', 'Tuesday'],
  ]);
});
