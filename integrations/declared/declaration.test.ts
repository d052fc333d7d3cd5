import { expect, test } from 'vitest';
import { findUrlProblem } from '../../http/outbound/address-check.ts';
import { parseDeclaration } from './declaration.ts';
import { siteOf } from './site.ts';

const RULES = {
  findUrlProblem: (url: string) => findUrlProblem(url, { allow: [], protocols: ['https:', 'http:'] }),
  publicUrl: 'https://stats.example.org/base',
};

function declare(url: string, name = 'Ours') {
  const { url: normal, domain } = parseDeclaration({ organizationId: 'org_1', name, url }, RULES);
  return [normal, domain];
}

test.each([
  ['https://Shop.Example.com/a?b=1#c', 'https://shop.example.com/a?b=1', 'example.com'],
  ['http://example.co.uk', 'http://example.co.uk/', 'example.co.uk'],
  [' https://a.github.io/x ', 'https://a.github.io/x', 'a.github.io'],
  ['https://www.b.github.io', 'https://www.b.github.io/', 'b.github.io'],
  ['https://example.com./x', 'https://example.com/x', 'example.com'],
  ['https://example.com:8443/x', 'https://example.com:8443/x', 'example.com'],
  ['https://bücher.example.de/', 'https://xn--bcher-kva.example.de/', 'example.de'],
  ['https://shop.bücher.de/', 'https://shop.xn--bcher-kva.de/', 'xn--bcher-kva.de'],
])('%s is declared as %s on %s', (url, normal, domain) => {
  expect(declare(url)).toEqual([normal, domain]);
});

test.each([
  ['https://93.184.216.34/', /no name that somebody can have registered/],
  ['https://[2606:2800:220:1::1]/', /no name that somebody can have registered/],
  ['https://github.io/', /github.io is no name/],
  ['https://co.uk', /co.uk is no name/],
  ['https://127.0.0.1/', /not a public address/],
  ['https://localhost/', /not a public name/],
  ['ftp://example.com/', /must begin with https:\/\/ or http:\/\//],
  ['https://user:secret@example.com/', /no user and no password/],
  ['https://example.com:25/', /port 25 is not open/],
  ['no address', /the URL is not valid/],
  ['https://www.example.org/', /example.org is the site of this service itself/],
  ['https://stats.example.org./base', /the site of this service itself/],
])('%s is refused: %s', (url, why) => {
  expect(() => declare(url)).toThrow(why);
});

test('all that is wrong is told at once', () => {
  expect(() => declare('https://127.0.0.1', ' ')).toThrow(/not a public address\nname: must be one line of 1 to 100/);
  expect(() => declare('https://example.com', 'a\nb')).toThrow('name: must be one line of 1 to 100 characters');
  expect(declare('https://example.com', 'ü'.repeat(100))).toHaveLength(2);
});

test('a site is the registrable domain, whatever the case, the dot of the root and the words before it', () => {
  expect(['www.Example.COM', 'example.com.', 'a.b.c.example.com'].map(siteOf)).toEqual(Array(3).fill('example.com'));
  expect(['com', '10.0.0.1', ''].map(siteOf)).toEqual([undefined, undefined, undefined]);
});
