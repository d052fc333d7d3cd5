import { expect, test } from 'vitest';
import { organizationName, quotedName } from './organization-name.ts';

const LINKS = [
  'Win a prize https://evil.example',
  'https://1',
  'Win at evil.example',
  'www.evil.example/prize',
  'EVIL.COM',
  'evil\u3002com',
  'evil\uff0ecom',
  'evil\u200b.com',
  'ev\u2060il.c\u00adom',
  'bücher.example',
  'пример.рф',
  'उदाहरण.भारत',
  'कंपनी.कॉम',
  'evil\u2024com',
  'xn--e1afmkfd.xn--p1ai',
  'prize@evil.example',
  'go to 203.0.113.7 now',
];

test.each(LINKS)('%j is no name, since mail programs make a link of it', (name) => {
  expect(() => organizationName(name)).toThrow(expect.objectContaining({ code: 'usage' }));
});

test.each(['', ' ', 'x'.repeat(101), 'two\nlines', 'tab\tbed', 'turned \u202e around', 'nul\u0000', 'line\u2028line'])(
  '%j is no name',
  (name) => {
    expect(() => organizationName(name)).toThrow('one line of 1 to 100 characters');
  },
);

test.each([
  'Acme',
  'Ada & Co.',
  'Acme Inc. (Berlin)',
  'J.P. Morgan',
  'St. Mary’s',
  'Version 1.5',
  'A.B.C. Ltd',
  'شرکت می\u200cخواهم',
  '😀'.repeat(100),
])('%j is a name', (name) => {
  expect(organizationName(` ${name} `)).toBe(name);
  expect(quotedName(name).replaceAll(' ', '')).toBe(name.replaceAll(/[\s\p{Cf}]/gu, ''));
});

test.each(LINKS)('mails quote %j, where it was stored before, without anything to make a link of', (name) => {
  const quoted = quotedName(name);
  expect(quoted).not.toMatch(/:\/\/|[^\s[][.\u3002\uff0e](?:\S*\p{L}{2}|\d)/u);
  expect(() => organizationName(quoted)).not.toThrow();
});

test('mails quote one line of a hundred characters at most', () => {
  expect(quotedName('Acme\r\nBcc: all@evil.example\n\nhttps://evil.example')).toBe(
    'Acme  Bcc: all@evil[.]example  https[:]//evil[.]example',
  );
  expect([...quotedName('😀'.repeat(300))]).toHaveLength(100);
});
