import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listenOnLoopback } from '../../test/support/server/listen-on-loopback.ts';
import { LOOPBACK, requestTo } from '../../test/support/server/outbound-settings.ts';
import { startTlsReceiver, type TlsReceiverOptions } from '../../test/support/server/tls-receiver.ts';
import { openOutbound, openReceiver } from '../../test/support/server/use-outbound.ts';
import { newFolder } from '../../test/support/temporary-folder.ts';
import { createAuthority, selfSigned } from '../certificates.ts';

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
const authority = await createAuthority('authority of a test');
const issue = (names: readonly string[], times: { from?: Date; to?: Date } = {}) =>
  authority.issue({ names, ...times });

const BAD_CERTIFICATES = [
  ['that has expired', await issue(['127.0.0.1'], { from: inDays(-9), to: inDays(-1) }), 'has expired'],
  ['that is not valid yet', await issue(['127.0.0.1'], { from: inDays(1), to: inDays(9) }), 'is not valid yet'],
  ['for another name', await issue(['example.com']), 'is for another name'],
  ['for another address', await issue(['127.0.0.2']), 'is for another name'],
  ['without a name', await issue([]), 'is for another name'],
  ['that is self-signed', await selfSigned({ names: ['127.0.0.1'] }), 'is self-signed'],
  [
    'of an unknown authority',
    await (await createAuthority('another')).issue({ names: ['127.0.0.1'] }),
    'was issued by an authority that is not trusted here',
  ],
] as const;

async function openWith(options: Omit<TlsReceiverOptions, 'handler'>) {
  let requests = 0;
  const opened = await openReceiver(
    (_request, response) => {
      requests += 1;
      response.end();
    },
    { ...options, settings: { ca: authority.ca } },
  );
  return { ...opened, requests: () => requests };
}

test.each(BAD_CERTIFICATES)('a certificate %s is refused, every time, before anything is sent', async (...row) => {
  const [, certificate, problem] = row;
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const { receiver, outbound, requests } = await openWith({ certificate, tls: { maxVersion } });
    const message = `the certificate of 127.0.0.1:${receiver.port} ${problem}`;
    const failure = { kind: 'failure', reason: 'tls', message };
    for (const _ of [1, 2, 3]) expect(await outbound.request(requestTo(receiver.url))).toMatchObject(failure);
    expect(requests()).toBe(0);
  }
});

test('a good certificate is taken, and no setting of the environment lets a bad one through', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const good = await openWith({ certificate: await issue(['127.0.0.1']) });
  expect(await good.outbound.request(requestTo(good.receiver.url))).toMatchObject({ kind: 'response', status: 200 });
  const bad = await openWith({ certificate: await selfSigned({ names: ['127.0.0.1'] }) });
  expect(await bad.outbound.request(requestTo(bad.receiver.url))).toMatchObject({ kind: 'failure', reason: 'tls' });
});

test('the name of the URL counts, not that of the address it resolves to', async () => {
  const { receiver } = await openWith({ certificate: await issue(['other.example.com', '127.0.0.1']) });
  const resolveName = async () => [{ address: '127.0.0.1', family: 4 }];
  const outbound = openOutbound({ allow: LOOPBACK, ca: authority.ca, resolveName });
  const request = (name: string) => outbound.request(requestTo(`https://${name}:${receiver.port}/`));
  expect(await request('other.example.com')).toMatchObject({ kind: 'response' });
  expect(await request('example.com')).toMatchObject({ kind: 'failure', reason: 'tls' });
});

test('a server that speaks no TLS is refused', async () => {
  const { port } = await listenOnLoopback((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  const answer = await openOutbound({ allow: LOOPBACK }).request(requestTo(`https://127.0.0.1:${port}/`));
  const message = `the TLS handshake with 127.0.0.1:${port} failed`;
  expect(answer).toMatchObject({ kind: 'failure', reason: 'tls', message });
});

test('versions of TLS before 1.2 are refused', async () => {
  const { receiver, outbound } = await openWith({
    certificate: await issue(['127.0.0.1']),
    tls: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
  });
  expect(await outbound.request(requestTo(receiver.url))).toMatchObject({ kind: 'failure', reason: 'tls' });
});

test("Node's own authorities are trusted, and those of NODE_EXTRA_CA_CERTS", async () => {
  const receiver = await startTlsReceiver({ handler: (_request, response) => response.end() });
  onTestFinished(receiver.close);
  const file = join(await newFolder(), 'ca.pem');
  await writeFile(file, receiver.ca);
  const kinds = Promise.all([kindIn({}, receiver.url), kindIn({ NODE_EXTRA_CA_CERTS: file }, receiver.url)]);
  expect(await kinds).toEqual(['tls', 'response']);
});

/** What becomes of a request in a process with this environment. */
async function kindIn(env: Readonly<Record<string, string>>, url: string): Promise<string> {
  const script = join(import.meta.dirname, '../../test/support/server/request-once.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, url], {
    env: { ...process.env, ...env },
  });
  return stdout;
}
