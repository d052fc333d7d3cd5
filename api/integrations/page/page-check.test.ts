import { readFileSync } from 'node:fs';
import { createGzip } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { type PageServer, useOutbound, usePages } from '../../../test/support/integrations/page-server.ts';
import { openOutbound, openReceiver } from '../../../test/support/server/use-outbound.ts';
import { snippetsFor } from './own-addresses.ts';
import { PAGE_LIMITS, type PageCheckDeps, pageChecker } from './page-check.ts';
import type { readInThread } from './read-in-thread.ts';
import { type Readings, read } from './reading.ts';

const SERVICE = 'https://stats.example/base';
const OURS = 'org_ours';
const LINK = `<p>Prices</p><a href="${SERVICE}">Data: modelstats</a>`;

let site: PageServer;
let pages: PageServer['pages'];
beforeEach(async () => {
  site = await usePages();
  pages = site.pages;
});

/** Reads in this thread, which takes a tenth of the time. */
const readHere: typeof readInThread = async <Kind extends keyof Readings>(order: Parameters<typeof read>[0]) =>
  read(order) as Readings[Kind];

/** Looks at a page of the server, or at an address, as the site `shop.test`. */
function checkPage(
  page: string,
  { isThreaded = false, ...changes }: Partial<PageCheckDeps> & { isThreaded?: boolean } = {},
) {
  const reading = isThreaded ? {} : { read: readHere };
  const outbound = useOutbound();
  const deps: PageCheckDeps = { outbound, publicUrl: SERVICE, toolVersion: '1.2.3', ...reading, ...changes };
  const url = page.startsWith('https://') ? page : site.urlOf(page);
  return pageChecker(deps)({ url, domain: 'shop.test', organizationId: OURS });
}

const requested = () => site.requests.map(({ url }) => url);

describe('a look at a page', () => {
  test('finds the link, and tells where, when and what', async () => {
    pages.set('shop.test/a?b=1', LINK);
    pages.set('shop.test/robots.txt', 'User-agent: *\nAllow: /');
    const evidence = await checkPage('shop.test/a?b=1', { isThreaded: true });
    expect(evidence).toMatchObject({
      reason: 'FOUND',
      status: 200,
      finalUrl: site.urlOf('shop.test/a?b=1'),
      found: { kind: 'link', href: SERVICE, text: 'Data: modelstats' },
      message: `a link to ${SERVICE} (Data: modelstats)`,
    });
    expect(evidence.durationMs).toBeGreaterThan(0);
  });

  test('says who asks in every request, first for robots.txt and then for the page', async () => {
    pages.set('shop.test/', LINK);
    await checkPage('shop.test/');
    expect(requested()).toEqual(['shop.test/robots.txt', 'shop.test/']);
    const agents = site.requests.map(({ headers }) => headers['user-agent']);
    expect(agents).toEqual(Array(2).fill(`modelstats-check/1.2.3 (+${SERVICE})`));
    expect(site.requests[1]?.headers).toMatchObject({ accept: 'text/html,application/xhtml+xml' });
    expect(Object.keys(site.requests[1]?.headers ?? {})).not.toContain('cookie');
  });

  test.each([
    ['is not there', { status: 404 }, 'HTTP_ERROR', /shop.test:\d+ responded with 404/],
    ['fails', { status: 503, body: LINK }, 'HTTP_ERROR', /responded with 503/],
    ['shows no link', '<p>nothing</p>', 'NOT_FOUND', /shows neither a link to https:\/\/stats.example\/base nor/],
    [
      'is no HTML',
      { headers: { 'content-type': 'text/plain' }, body: LINK },
      'NOT_FOUND',
      /not HTML: its content type is text\/plain/,
    ],
    ['is packed', { headers: { 'content-encoding': 'gzip' }, body: LINK }, 'NOT_FOUND', /compressed \(gzip\)/],
  ] as const)('that %s is told so', async (_, answer, reason, message) => {
    pages.set('shop.test/', answer);
    const status = (typeof answer === 'object' && 'status' in answer && answer.status) || 200;
    const rest = { found: null, finalUrl: site.urlOf('shop.test/') };
    expect(await checkPage('shop.test/')).toMatchObject({
      reason,
      status,
      message: expect.stringMatching(message),
      ...rest,
    });
  });

  test('takes the badge in a link, and XHTML', async () => {
    const headers = { 'content-type': 'Application/XHTML+XML' };
    pages.set('shop.test/', { headers, body: `<a href="/"><img src="${SERVICE}/badges/source.svg"/></a>` });
    expect(await checkPage('shop.test/')).toMatchObject({ reason: 'FOUND', found: { kind: 'badge' } });
  });

  test('reads the first MiB of a page, and says so', async () => {
    const filling = `<p>${'x'.repeat(PAGE_LIMITS.pageBytesMax)}</p>`;
    pages.set('shop.test/before', `${LINK}${filling}`);
    pages.set('shop.test/behind', `${filling}${LINK}`);
    expect(await checkPage('shop.test/before')).toMatchObject({ reason: 'FOUND' });
    const behind = await checkPage('shop.test/behind');
    expect(behind).toMatchObject({ reason: 'NOT_FOUND', message: expect.stringContaining('its first 1024 KiB') });
  });

  test('does not unpack what grows, and does not wait for what never ends', async () => {
    pages.set('shop.test/bomb', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
      const packed = createGzip();
      packed.pipe(response);
      response.on('close', () => packed.destroy());
      packed.write(Buffer.alloc(4 * 1024 * 1024));
    });
    pages.set('shop.test/slow', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write(LINK);
    });
    const limits = { ...PAGE_LIMITS, pageTimeoutMs: 300 };
    expect(await checkPage('shop.test/bomb', { limits })).toMatchObject({ found: null });
    const slow = await checkPage('shop.test/slow', { limits });
    expect(slow).toMatchObject({ reason: 'TIMEOUT', message: expect.stringMatching(/did not respond within 0.3 s/) });
  });

  test('ends when it is given up', async () => {
    const stop = new AbortController();
    pages.set('shop.test/', () => stop.abort(new Error('stopped')));
    await expect(checkPage('shop.test/', { signal: stop.signal })).rejects.toThrow('stopped');
  });

  test('that nobody answers is told', async () => {
    const outbound = openOutbound({ resolveName: () => Promise.reject(new Error('ENOTFOUND')) });
    const nothing = { status: null, finalUrl: null, found: null };
    expect(await checkPage('https://shop.test/', { outbound })).toMatchObject({ reason: 'UNREACHABLE', ...nothing });
  });

  test('goes to no address that is not public, whatever the DNS says', async () => {
    const outbound = openOutbound({ resolveName: async () => [{ address: '10.0.0.1', family: 4 }] });
    const blocked = { reason: 'BLOCKED', status: null, message: expect.stringMatching(/10.0.0.1/) };
    expect(await checkPage('https://shop.test/', { outbound })).toMatchObject(blocked);
  });

  test('verifies certificates', async () => {
    const { receiver } = await openReceiver((_, response) => response.end(LINK));
    const message = expect.stringMatching(/the certificate of shop.test/);
    const evidence = await checkPage(`https://shop.test:${receiver.port}/`);
    expect(evidence).toMatchObject({ reason: 'UNREACHABLE', message });
  });
});

describe('redirects', () => {
  /** Pages that each redirect to the next, and the last one with the link. */
  function chain(...hops: readonly string[]): void {
    for (const [index, hop] of hops.entries()) {
      const next = hops[index + 1];
      const headers = { location: next === undefined ? '' : site.urlOf(next) };
      pages.set(hop, next === undefined ? LINK : { status: 302, headers });
    }
  }

  test('are followed within the site, three at most', async () => {
    chain('shop.test/', 'www.shop.test/', 'shop.test/a', 'b.shop.test/b');
    expect(await checkPage('shop.test/')).toMatchObject({ reason: 'FOUND', finalUrl: site.urlOf('b.shop.test/b') });
    chain('shop.test/', 'shop.test/1', 'shop.test/2', 'shop.test/3', 'shop.test/4');
    const message = 'the page redirects more than 3 times';
    expect(await checkPage('shop.test/')).toMatchObject({ reason: 'NOT_FOUND', status: 302, message });
    expect(requested()).not.toContain('shop.test/4');
  });

  test('to another site are not followed, whatever its name', async () => {
    chain('shop.test/', 'shop.test.other.test/');
    const evidence = await checkPage('shop.test/');
    expect(evidence).toMatchObject({ reason: 'NOT_FOUND', status: 302 });
    expect(evidence.message).toMatch(/redirects to shop.test.other.test:\d+, which is a different site from shop.test/);
    expect(site.requests).toHaveLength(2);
  });

  /** `shop.test` over https, without a robots.txt: its address, and a guard that reaches it. */
  async function openSecure(status: number, headers: Readonly<Record<string, string>>) {
    const { receiver, outbound } = await openReceiver(
      ({ url }, response) => void response.writeHead(url === '/robots.txt' ? 404 : status, headers).end(LINK),
      { names: ['shop.test'], settings: { resolveName: async () => [{ address: '127.0.0.1', family: 4 }] } },
    );
    return { secure: `https://shop.test:${receiver.port}/`, outbound };
  }

  test('from https to http are not followed', async () => {
    pages.set('shop.test/', LINK);
    const { secure, outbound } = await openSecure(301, { location: site.urlOf('shop.test/') });
    const message = expect.stringMatching(/redirects from https to http/);
    expect(await checkPage(secure, { outbound })).toMatchObject({ reason: 'NOT_FOUND', message });
    expect(site.requests).toEqual([]);
  });

  test('from http to https are', async () => {
    const { secure, outbound } = await openSecure(200, { 'content-type': 'text/html' });
    pages.set('shop.test/', { status: 308, headers: { location: secure } });
    expect(await checkPage('shop.test/', { outbound })).toMatchObject({ reason: 'FOUND', finalUrl: secure });
  });

  test('to an address that is not public are blocked', async () => {
    const target = site.urlOf('shop.test/x').replace('http:', 'gopher:');
    pages.set('shop.test/', { status: 302, headers: { location: target } });
    expect((await checkPage('shop.test/')).reason).not.toBe('FOUND');
    expect(site.requests).toHaveLength(2);
  });
});

describe('robots.txt', () => {
  test.each([
    ['lets everybody', 'User-agent: *\nAllow: /', 'FOUND'],
    ['is empty', '', 'FOUND'],
    ['is no such file', 'Lorem ipsum\u0000: dolor\n<html>', 'FOUND'],
    ['lets nobody', 'User-agent: *\nDisallow: /', 'BLOCKED'],
    ['forbids that path', 'User-agent: *\nDisallow: /prices', 'BLOCKED'],
    ['forbids another path', 'User-agent: *\nDisallow: /private', 'FOUND'],
    ['lets the checker alone', 'User-agent: *\nDisallow: /\n\nUser-agent: modelstats-check\nAllow: /', 'FOUND'],
    [
      'forbids the checker alone',
      'User-agent: Modelstats-Check/1.0\nDisallow: /\n\nUser-agent: *\nAllow: /',
      'BLOCKED',
    ],
    ['has a longer rule that allows', 'User-agent: *\nDisallow: /\nAllow: /prices/$', 'FOUND'],
    ['speaks of others', 'User-agent: other-bot\nDisallow: /', 'FOUND'],
  ])('that %s', async (_, body, reason) => {
    pages.set('shop.test/prices/', LINK);
    pages.set('shop.test/robots.txt', { headers: { 'content-type': 'text/plain' }, body });
    const evidence = await checkPage('shop.test/prices/');
    expect(evidence.reason).toBe(reason);
    if (reason === 'BLOCKED') {
      expect(evidence.message).toMatch(
        /the robots.txt of shop.test:\d+ does not allow modelstats-check to fetch the page/,
      );
      expect(site.requests).toHaveLength(1);
    }
  });

  test.each([
    [404, 'FOUND'],
    [403, 'FOUND'],
    [500, 'HTTP_ERROR'],
    [503, 'HTTP_ERROR'],
  ] as const)('that is %d: %s', async (status, reason) => {
    pages.set('shop.test/', LINK);
    pages.set('shop.test/robots.txt', { status });
    expect((await checkPage('shop.test/')).reason).toBe(reason);
  });

  test('that doesn’t come in time allows nothing now', async () => {
    pages.set('shop.test/', LINK);
    pages.set('shop.test/robots.txt', () => undefined);
    const limits = { ...PAGE_LIMITS, robotsTimeoutMs: 200 };
    expect(await checkPage('shop.test/', { limits })).toMatchObject({
      reason: 'TIMEOUT',
      message: expect.stringMatching(/^its robots.txt: shop.test:\d+ did not respond/),
    });
    expect(site.requests).toHaveLength(1);
  });

  test('is asked for once per origin, and before the page that a redirect leads to', async () => {
    pages.set('shop.test/', { status: 301, headers: { location: '/a' } });
    pages.set('shop.test/a', { status: 301, headers: { location: site.urlOf('www.shop.test/b') } });
    pages.set('www.shop.test/robots.txt', { body: 'User-agent: *\nDisallow: /b' });
    pages.set('www.shop.test/b', LINK);
    expect((await checkPage('shop.test/')).reason).toBe('BLOCKED');
    expect(requested()).toEqual([...['shop.test/robots.txt', 'shop.test/', 'shop.test/a', 'www.shop.test/robots.txt']]);
  });

  test('may itself be redirected within the site; elsewhere it is as if there were none', async () => {
    pages.set('shop.test/', LINK);
    const redirect = (to: string) => ({ status: 301, headers: { location: site.urlOf(to) } });
    pages.set('shop.test/robots.txt', redirect('www.shop.test/robots.txt'));
    pages.set('www.shop.test/robots.txt', { body: 'User-agent: *\nDisallow: /' });
    expect((await checkPage('shop.test/')).reason).toBe('BLOCKED');
    pages.set('shop.test/robots.txt', redirect('other.test/robots.txt'));
    expect((await checkPage('shop.test/')).reason).toBe('FOUND');
    expect(requested()).not.toContain('other.test/robots.txt');
  });

  test('is read up to 500 KiB', async () => {
    pages.set('shop.test/', LINK);
    const filling = `#${'x'.repeat(PAGE_LIMITS.robotsBytesMax)}\n`;
    pages.set('shop.test/robots.txt', { body: `${filling}User-agent: *\nDisallow: /` });
    expect((await checkPage('shop.test/')).reason).toBe('FOUND');
  });
});

test('each snippet that people are given passes, as the page shows it', async () => {
  const snippets = snippetsFor(SERVICE, OURS);
  expect(snippets.map(({ name }) => name)).toEqual(['Markdown', 'HTML', 'React']);
  const [markdown, html, react] = snippets;
  expect(react?.code).toMatch(/ \/><\/a>$/); // As JSX requires it.
  // As CommonMark renders it: an image in a link, with destinations in angle brackets. JSX without expressions is HTML.
  const [, alt, source, href] = /^\[!\[(.*)\]\(<(.*)>\)\]\(<(.*)>\)$/.exec(markdown?.code ?? '') ?? [];
  const rendered = `<p><a href="${href}"><img src="${source}" alt="${alt}" /></a></p>`;
  for (const [index, body] of [rendered, html?.code ?? '', react?.code ?? ''].entries()) {
    pages.set(`shop.test/${index}`, body);
    expect(await checkPage(`shop.test/${index}`)).toMatchObject({
      reason: 'FOUND',
      found: { kind: 'badge', href: `${SERVICE}/?for=${OURS}`, text: 'Data: modelstats' },
    });
  }
  expect(readFileSync(`${import.meta.dirname}/../../site/badge.ts`, 'utf8')).toContain('/badges/source');
});

test('nothing in an address ends an attribute of a snippet', () => {
  for (const { code } of snippetsFor(`https://stats.example/a&b"c'<d>{e}`, OURS)) {
    expect(code).not.toMatch(/"c|<d|\{e/);
    expect(code.match(/badges\/source\.svg/g)).toHaveLength(1);
  }
});
