import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../test/support/processes/servers.ts';
import { listenOnLoopback } from '../../test/support/server/listen-on-loopback.ts';
import { LOOPBACK, requestTo } from '../../test/support/server/outbound-settings.ts';
import { refusedUrls } from '../../test/support/server/refused-urls.ts';
import { openOutbound, openReceiver } from '../../test/support/server/use-outbound.ts';
import { parseNetwork, type ResolveName } from './address-check.ts';

const loopbackNames: ResolveName = async () => [{ address: '127.0.0.1', family: 4 }];
/** Each call gives the next of these answers, and the last for good. */
function responsesInTurn(...answers: readonly (readonly string[])[]) {
  const calls: string[] = [];
  const resolveName: ResolveName = async (name) => {
    const addresses = answers[Math.min(calls.length, answers.length - 1)] ?? [];
    calls.push(name);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { calls, resolveName };
}

test('no refused URL is resolved or connected to, though its port listens here', async () => {
  const listener = await listenOnLoopback();
  const { calls, resolveName } = responsesInTurn(['127.0.0.1']);
  const outbound = openOutbound({ resolveName });
  const answers = await Promise.all(refusedUrls.map(([url]) => outbound.request(requestTo(url))));
  expect(answers.map((answer) => answer.kind === 'failure' && [answer.reason, answer.message])).toEqual(
    refusedUrls.map(([, problem]) => ['blocked', problem]),
  );
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', '0.0.0.0']) {
    const answer = await outbound.request(requestTo(`https://${host}:${listener.port}/`));
    expect(answer).toMatchObject({ kind: 'failure', reason: 'blocked' });
  }
  expect([calls, listener.connections()]).toEqual([[], 0]);
});

test.each([
  ['a private address', ['127.0.0.1'], '127.0.0.1'],
  ['a public and a private one', ['93.184.215.14', '127.0.0.1'], '127.0.0.1'],
  ['a private and a public one', ['127.0.0.1', '93.184.215.14'], '127.0.0.1'],
  ['a public one and a private IPv6 one', ['93.184.215.14', '::1'], '::1'],
  ['the server of a cloud', ['169.254.169.254'], '169.254.169.254'],
  ['an address that is mapped', ['::ffff:127.0.0.1'], '::ffff:127.0.0.1'],
  ['an address with a zone', ['fe80::1%lo'], 'fe80::1%lo'],
  ['what is no address', ['0x7f.1'], '0x7f.1'],
])('a name that resolves to %s is blocked, and nothing is sent', async (_, addresses, problem) => {
  const listener = await listenOnLoopback();
  const outbound = openOutbound({ resolveName: responsesInTurn(addresses).resolveName });
  const answer = await outbound.request(requestTo(`https://example.com:${listener.port}/`));
  const message = `example.com resolves to ${problem}, which is not a public address`;
  expect(answer).toMatchObject({ kind: 'failure', reason: 'blocked', message });
  expect(listener.connections()).toBe(0);
});

/** A receiver whose name leads to 127.0.0.2, which is allowed, and from the second answer of the DNS on to 127.0.0.1. */
async function openMovingReceiver(headers: Readonly<Record<string, string>> = {}) {
  const { calls, resolveName } = responsesInTurn(['127.0.0.2'], ['127.0.0.1']);
  const opened = await openReceiver((_request, response) => response.writeHead(200, headers).end(), {
    settings: { allow: [parseNetwork('127.0.0.2')], resolveName, connectionsMax: 1 },
    host: '0.0.0.0',
    names: ['example.com'],
  });
  return { ...opened, calls, url: `https://example.com:${opened.receiver.port}/` };
}

test('a name is resolved once for a connection, so what the DNS says after the check has no effect', async () => {
  const { receiver, outbound, calls, url } = await openMovingReceiver();
  expect(await outbound.request(requestTo(url))).toMatchObject({ kind: 'response', status: 200 });
  expect(receiver.addresses()).toEqual(['127.0.0.2']);
  // The connection is kept: it leads to the address that was checked, whatever the name means by now.
  expect(await outbound.request(requestTo(url))).toMatchObject({ kind: 'response', status: 200 });
  expect([calls.length, receiver.addresses()]).toEqual([1, ['127.0.0.2']]);
});

test('a new connection is checked anew', async () => {
  const { receiver, outbound, url } = await openMovingReceiver({ connection: 'close' });
  expect(await outbound.request(requestTo(url))).toMatchObject({ kind: 'response' });
  expect(await outbound.request(requestTo(url))).toMatchObject({ kind: 'failure', reason: 'blocked' });
  expect(receiver.addresses()).toEqual(['127.0.0.2']);
});

test('where one of several addresses refuses, the next is tried', async () => {
  const { receiver, outbound } = await openReceiver((_request, response) => response.end(), {
    settings: { resolveName: responsesInTurn(['::1', '127.0.0.1']).resolveName },
    names: ['example.com'],
  });
  expect(await outbound.request(requestTo(`https://example.com:${receiver.port}/`))).toMatchObject({
    kind: 'response',
  });
});

test("names are resolved by the system unless a test does, and 'localhost' is one where loopback is allowed", async () => {
  const { receiver, outbound } = await openReceiver((_request, response) => response.end());
  expect(await outbound.request(requestTo(`https://localhost:${receiver.port}/`))).toMatchObject({ kind: 'response' });
});

test.each([
  ['that nobody knows', async () => Promise.reject(new Error('ENOTFOUND')), 'could not be resolved'],
  ['without an address', async () => [], 'has no address'],
] as const)('a name %s is a failure of the DNS', async (_, resolveName, problem) => {
  const answer = await openOutbound({ resolveName }).request(requestTo('https://example.com/'));
  const message = `the name example.com ${problem}`;
  expect(answer).toMatchObject({ kind: 'failure', reason: 'dns', message });
});

test("the environment's proxies are not used", async () => {
  const proxy = await listenOnLoopback();
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) {
    vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
  }
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { receiver, outbound } = await openReceiver((_request, response) => response.end());
  expect(await outbound.request(requestTo(receiver.url))).toMatchObject({ kind: 'response' });
  expect(proxy.connections()).toBe(0);
});

test.each(['host', 'Host', 'connection', 'Transfer-Encoding', 'content-length', 'accept-encoding'])(
  'a caller that sets the header %s is told so',
  async (name) => {
    const request = openOutbound().request(requestTo('https://example.com/', { headers: { [name]: 'example.org' } }));
    await expect(request).rejects.toThrow(`the header ${name.toLowerCase()} can't be set by the caller`);
  },
);

test('a header that would break into lines is a mistake of the caller, and nothing is sent', async () => {
  const { receiver, outbound } = await openReceiver((_request, response) => response.end());
  const request = outbound.request(requestTo(receiver.url, { headers: { 'x-a': 'b\r\nx-c: d' } }));
  await expect(request).rejects.toThrow('invalid');
  expect(receiver.connections()).toBe(0);
});

test('a port that nobody listens on is a failure of the connection', async () => {
  const port = await freePort();
  const outbound = openOutbound({ allow: LOOPBACK, resolveName: loopbackNames });
  const answer = await outbound.request(requestTo(`https://example.com:${port}/`));
  const message = `example.com:${port} refuses connections`;
  expect(answer).toMatchObject({ kind: 'failure', reason: 'connection', message });
});
