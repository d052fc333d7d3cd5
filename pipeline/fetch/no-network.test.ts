import { beforeEach, expect, test } from 'vitest';
import { UpstreamServer } from '../../test/support/fetch/upstream-server.ts';
import { FETCH_DAY, useFetch } from '../../test/support/fetch/use-fetch.ts';
import { perTest } from '../../test/support/per-test.ts';
import { Reachability } from './reachability.ts';
import type { UpstreamRequest, UpstreamResponse } from './upstream-client.ts';
import { passingFault, UpstreamFault, withRetries } from './upstream-fault.ts';

const START = Date.parse(`${FETCH_DAY}T00:05:00Z`);

const place = perTest(useFetch);
let [down, alsoDown] = ['', ''];
beforeEach(async () => {
  [down, alsoDown] = [await closedAddress(), await closedAddress()];
});

/** Where nobody listens any more. */
async function closedAddress(): Promise<string> {
  const server = await UpstreamServer.start();
  await server.close();
  return server.url;
}

test('a machine that reaches nobody is told so once, whatever it fetches from how many', async () => {
  await place.source([
    { url: `${down}/a.json`, file: 'a.json' },
    { url: `${down}/b.json`, file: 'b.json', optional: true },
    { url: `${alsoDown}/c.json`, file: 'c.json', optional: true },
  ]);
  const { problems, warnings, record } = await place.fetch();
  expect([...problems, ...warnings]).toEqual([
    expect.stringMatching(
      /^no upstream could be reached \(127\.0\.0\.1:\d+ refuses connections, and 1 more hosts\): this machine seems to have no network or to need a proxy/,
    ),
  ]);
  expect(record.files.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
});

test('where one upstream answers, each that is down is told of by itself', async () => {
  place.server.serve('/a.json', '[]');
  await place.source([
    { url: '/a.json', file: 'a.json' },
    { url: `${down}/b.json`, file: 'b.json', optional: true },
  ]);
  const { problems, warnings } = await place.fetch();
  expect(problems).toEqual([]);
  expect(warnings).toEqual([
    expect.stringMatching(/^b\.json of shop could not be fetched from .* refuses connections/),
  ]);
});

/** A client of which every request comes to nobody, or to one host; and a clock that waits advance. */
function unreachable({ answering = '' } = {}) {
  const asked: string[] = [];
  let now = START;
  const get = async ({ url }: UpstreamRequest): Promise<UpstreamResponse> => {
    asked.push(url.host);
    if (url.host === answering) throw passingFault(`${url.host} responded with 503`);
    throw new UpstreamFault(`${url.host} is not there`, { mayPass: true, isUnreachable: true });
  };
  const client = new Reachability({ client: { get }, clock: () => new Date(now) });
  const sleep = async (ms: number) => {
    now += ms;
  };
  const limits = { attemptsMax: 4, waitMsMax: 120_000 };
  const request = (host: string) => {
    const url = new URL(`http://${host}/`);
    return client.get({ url, headers: {}, secretHeaders: {}, timeoutMs: 1000 });
  };
  const fetch = (host: string) => withRetries(() => request(host), { limits, random: () => 0, sleep });
  return { asked, client, fetch, waited: () => now - START };
}

test('a fetch that reaches nobody asks each further host once, and none again', async () => {
  const { asked, fetch, waited, client } = unreachable();
  for (const host of ['a.test', 'a.test', 'b.test', 'b.test', 'c.test'])
    await expect(fetch(host)).rejects.toThrow(host);
  expect(asked).toEqual(['a.test', 'a.test', 'a.test', 'b.test', 'c.test']);
  expect(waited()).toBe(7000);
  expect(client.faults()).toHaveLength(3);
});

test('one host that answers, however badly, is a network: all others are tried as often as ever', async () => {
  const { asked, fetch, client } = unreachable({ answering: 'b.test' });
  for (const host of ['a.test', 'b.test', 'a.test']) await expect(fetch(host)).rejects.toThrow(host);
  expect(asked).toHaveLength(3 + 4 + 4);
  expect(client.faults()).toEqual([]);
});
