import { expect, test } from 'vitest';
import { snippetsFor } from './snippets.ts';

const codesFor = (publicUrl: string) => snippetsFor(publicUrl).map(({ code }) => code);

test('snippets show the badge in a link to the service, with words for who sees no pictures', () => {
  expect(snippetsFor('https://stats.example/base/').map(({ name, code }) => [name, code])).toEqual([
    ['Markdown', '[![Data: modelstats](<https://stats.example/base/badges/source.svg>)](<https://stats.example/base>)'],
    [
      'HTML',
      '<a href="https://stats.example/base"><img src="https://stats.example/base/badges/source.svg" alt="Data: modelstats"></a>',
    ],
    [
      'React',
      '<a href="https://stats.example/base"><img src="https://stats.example/base/badges/source.svg" alt="Data: modelstats" /></a>',
    ],
  ]);
});

test('nothing in an address ends an attribute', () => {
  for (const code of codesFor(`https://stats.example/a&b"c'<d>{e}`)) {
    expect(code).not.toMatch(/"c|<d|\{e/);
    expect(code.match(/badges\/source\.svg/g)).toHaveLength(1);
  }
});
