import { describe, expect, test } from 'vitest';
import { readInThread } from './read-in-thread.ts';
import { read } from './reading.ts';

const SERVICE = 'https://stats.example';
const LINK = `<a href="${SERVICE}">Data</a>`;
/** Deep enough to overflow what calls itself; a check reads four times as much. */
const PAGE_BYTES = 256 * 1024;
/** Shorter than in use: what is tested is that it is one. */
const TIMEOUT_MS = 300;

function pageOrder(html: string) {
  return {
    kind: 'page',
    body: Buffer.from(html).subarray(0, PAGE_BYTES),
    contentType: 'text/html',
    url: 'https://shop.test/',
    publicUrl: SERVICE,
    organizationId: 'org_1',
  } as const;
}

const repeated = (text: string) => text.repeat(Math.ceil(PAGE_BYTES / text.length));

/** Takes a second, and with four times its length minutes. */
const ENDLESS = repeated('<b a><i b><p>');

/** Pages that are made to take long: with a MiB each once took somebody's program minutes. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ['100,000 elements in each other', '<div>'.repeat(100_000)],
  ['elements in each other up to the end', repeated('<b>')],
  ['formatting that is never closed', ENDLESS],
  ['formatting with other attributes each time', Array.from({ length: 15_000 }, (_, i) => `<b a=${i}><p>`).join('')],
  ['links in links', repeated(`<a href="/"><p>x`)],
  ['tables in tables', repeated('<table><td>')],
  ['text in front of tables', `<table>${repeated('x<a>')}`],
  ['attributes without end', `<p ${Array.from({ length: 25_000 }, (_, i) => `a${i}=1`).join(' ')}>`],
  ['styles without end', `<p style="${repeated('left:-1px;')}">`],
  ['a style with an open comment each', repeated('<p style="/*/*/*">')],
  ['references to characters', repeated('&lt')],
  ['closed details with many children', `<details>${repeated('<i>')}`],
  ['bytes that are no text', Buffer.alloc(PAGE_BYTES, 0xff).toString('latin1')],
];

describe('reading in a thread', () => {
  test('tells what is there', async () => {
    expect(await readInThread(pageOrder(LINK))).toMatchObject({ found: { kind: 'link' } });
  });

  test.each(HOSTILE)('a page of %s overflows nothing, ends in time, and holds up no request', async (_, html) => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const reading = await readInThread(pageOrder(html), { timeoutMs: TIMEOUT_MS });
    clearInterval(timer);
    expect(reading === undefined || reading.found === undefined).toBe(true);
    expect(turns).toBeGreaterThan(0); // Others had their turn meanwhile.
  });

  test('a link in front of a nest that is too deep is found', () => {
    expect(read(pageOrder(`${LINK}${'<div>'.repeat(100_000)}`))).toMatchObject({ found: { kind: 'link' } });
  });

  test('what takes too long is given up', async () => {
    expect(await readInThread(pageOrder(ENDLESS), { timeoutMs: 1 })).toBeUndefined();
  });

  test('what is given up ends at once', async () => {
    const stop = new AbortController();
    const reading = readInThread(pageOrder(ENDLESS), { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('stopped')), 20);
    await expect(reading).rejects.toThrow('stopped');
    await expect(readInThread(pageOrder(LINK), { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
  });

  test.each([
    ['stars', `User-agent: *\nDisallow: /${'*'.repeat(150_000)}`],
    ['agents and rules', `${'User-agent: a\n'.repeat(5_000)}${'Disallow: /x\n'.repeat(5_000)}`],
  ])('a robots.txt of many %s ends in time', async (_, text) => {
    const body = Buffer.from(text);
    const origin = 'https://shop.test';
    const url = `${origin}/${'a'.repeat(2_000)}`;
    const order = { kind: 'robots', body, robotsUrl: `${origin}/robots.txt`, url, agent: 'modelstats-check' } as const;
    await readInThread(order, { timeoutMs: TIMEOUT_MS }); // Else the test's own time ends it.
  });
});
