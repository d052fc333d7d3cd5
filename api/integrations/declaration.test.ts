import { describe, expect, test } from 'vitest';
import { findUrlProblem } from '../../runtime/outbound/address-check.ts';
import { FOUND } from '../../test/support/integrations/integration-subject.ts';
import { limitConcurrency, parseDeclaration, REQUESTED_AT_ONCE_MAX } from './declaration.ts';
import type { Evidence } from './integration.ts';
import { registrableDomain } from './site.ts';

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
  ['https://93.184.216.34/', /not a registered domain name/],
  ['https://[2606:2800:220:1::1]/', /not a registered domain name/],
  ['https://github.io/', /github.io is not a registered/],
  ['https://co.uk', /co.uk is not a registered/],
  ['https://127.0.0.1/', /not a public address/],
  ['https://localhost/', /not a public name/],
  ['ftp://example.com/', /must begin with https:\/\/ or http:\/\//],
  ['https://user:secret@example.com/', /not contain a user or password/],
  ['https://example.com:25/', /port 25 is not allowed/],
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

test('a domain is what can be registered, whatever the case, the dot of the root and the words before it', () => {
  const same = ['www.Example.COM', 'example.com.', 'a.b.c.example.com'].map(registrableDomain);
  expect(same).toEqual(Array(3).fill('example.com'));
  expect(['com', '10.0.0.1', ''].map(registrableDomain)).toEqual([undefined, undefined, undefined]);
});

describe('on a host that many share', () => {
  test.each([
    ['https://github.com/Acme', 'github.com/acme'],
    ['https://www.github.com//acme/repo?tab=readme', 'github.com/acme'],
    ['https://github.com/%61cme/repo/blob/main/README.md', 'github.com/acme'],
    ['https://github.com/orgs/acme/discussions/1', 'github.com/acme'],
    ['https://gist.github.com/acme/0123456789abcdef', 'github.com/acme'],
    ['https://raw.githubusercontent.com/acme/repo/main/README.md', 'raw.githubusercontent.com/acme'],
    ['https://cdn.jsdelivr.net/gh/acme/repo@1/README.md', 'jsdelivr.net/gh/acme'],
    ['https://gitlab.com/groups/acme/-/issues', 'gitlab.com/acme'],
    ['https://huggingface.co/spaces/acme/leaderboard', 'huggingface.co/acme'],
    ['https://medium.com/@acme/a-post-1', 'medium.com/@acme'],
    ['https://acme.medium.com/a-post-1', 'acme.medium.com'],
    ['https://x.com/acme/status/1', 'x.com/acme'],
    ['https://de.linkedin.com/company/Acme/', 'linkedin.com/company/acme'],
    ['https://acme.substack.com/p/a-post', 'acme.substack.com'],
    ['https://acme.wordpress.com/', 'acme.wordpress.com'],
    ['https://sites.google.com/view/acme/start', 'google.com/view/acme'],
    ['https://githubusercontent.com.example.com/acme', 'example.com'],
    ['https://notgithub.com/acme', 'notgithub.com'],
  ])('%s lies on the site %s', (url, site) => {
    expect(declare(url)[1]).toBe(site);
  });

  test.each([
    [
      'https://github.com/',
      'github.com is shared by many users: declare a page whose address names you, such as https://github.com/NAME',
    ],
    ['https://github.com/topics/llm', 'such as https://github.com/NAME'],
    ['https://github.com/acme%2Fother', 'such as https://github.com/NAME'],
    ['https://github.com/%E0%A4%A', 'such as https://github.com/NAME'],
    ['https://medium.com/p/0123456789ab', 'such as https://NAME.medium.com/ or https://medium.com/NAME'],
    ['https://www.linkedin.com/feed/', 'such as https://linkedin.com/company/NAME or https://linkedin.com/in/NAME'],
    ['https://www.wordpress.com/acme', 'such as https://NAME.wordpress.com/'],
    ['https://www.youtube.com/watch?v=1', 'such as https://youtube.com/@NAME'],
    ['https://youtube.com/@', 'such as https://youtube.com/@NAME'],
    ['https://facebook.com/profile.php?id=100', 'such as https://facebook.com/NAME'],
    [
      'https://web.archive.org/web/2026/https://acme.example/',
      'archive.org is shared by many users, and its addresses do not name the owner of a page',
    ],
    [
      'https://en.wikipedia.org/wiki/GPT-4',
      'wikipedia.org is shared by many users, and its addresses do not name the owner of a page',
    ],
    ['https://notion.site/', 'notion.site is not a registered domain name'],
  ])('%s names nobody, and is refused: %s', (url, why) => {
    expect(() => declare(url)).toThrow(`the address of the page: ${why.startsWith('such') ? '' : why}`);
    expect(() => declare(url)).toThrow(why);
  });
});

test('no more than four checks that are asked for are under way in a process, whoever asks', async () => {
  const waiting: (() => void)[] = [];
  const checkPage = limitConcurrency(
    (_: string) => new Promise<Evidence>((resolve) => void waiting.push(() => resolve(FOUND))),
  );
  const looks = Array.from({ length: REQUESTED_AT_ONCE_MAX }, () => checkPage('a page'));
  await expect(checkPage('a page')).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('in a minute'),
  });
  expect([REQUESTED_AT_ONCE_MAX, waiting.length]).toEqual([4, 4]);
  waiting.shift()?.();
  await looks[0];
  const another = checkPage('a page');
  for (const finish of waiting) finish();
  expect(await another).toEqual(FOUND);
});

test('a check that fails leaves its place to others', async () => {
  const checkPage = limitConcurrency((_: string) => Promise.reject(new Error('ours')), 1);
  for (const _ of [1, 2]) await expect(checkPage('a page')).rejects.toThrow('ours');
});
