import { expect, test } from 'vitest';
import { snippetsFor } from './own-addresses.ts';

const codesFor = (publicUrl: string) => snippetsFor(publicUrl, 'org_1').map(({ code }) => code);

test('snippets show the badge in a link to the service that names the organization, with words for who sees no pictures', () => {
  expect(snippetsFor('https://stats.example/base/', 'org_1').map(({ name, code }) => [name, code])).toEqual([
    [
      'Markdown',
      '[![Data: modelstats](<https://stats.example/base/badges/source.svg>)](<https://stats.example/base/?for=org_1>)',
    ],
    [
      'HTML',
      '<a href="https://stats.example/base/?for=org_1"><img src="https://stats.example/base/badges/source.svg" alt="Data: modelstats"></a>',
    ],
    [
      'React',
      '<a href="https://stats.example/base/?for=org_1"><img src="https://stats.example/base/badges/source.svg" alt="Data: modelstats" /></a>',
    ],
  ]);
});

test('nothing in an address ends an attribute', () => {
  for (const code of codesFor(`https://stats.example/a&b"c'<d>{e}`)) {
    expect(code).not.toMatch(/"c|<d|\{e/);
    expect(code.match(/badges\/source\.svg/g)).toHaveLength(1);
  }
});
