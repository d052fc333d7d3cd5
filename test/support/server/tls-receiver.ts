import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { type Certificate, createAuthority } from '../../../runtime/certificates.ts';
import { closeServer, listenOnFreePort } from '../processes/servers.ts';

export interface TlsReceiverOptions {
  /** What answers; the body of a request is its to read. */
  readonly handler: RequestListener;
  /** Names and addresses that its certificate is for, beside those of loopback. */
  readonly names?: readonly string[];
  /** One of another kind; it has a good one unless given. */
  readonly certificate?: Certificate;
  readonly tls?: Pick<SecureContextOptions, 'minVersion' | 'maxVersion' | 'ciphers'>;
  /** Address to listen on: 127.0.0.1 unless given. */
  readonly host?: string;
}

export type TlsReceiver = Awaited<ReturnType<typeof startTlsReceiver>>;

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];

/** An HTTPS server on loopback, as a customer's receiver would be, until it is closed. */
export async function startTlsReceiver({
  handler,
  names = [],
  certificate,
  tls = {},
  host = '127.0.0.1',
}: TlsReceiverOptions) {
  // A name of its own: several may be trusted at once.
  const authority = await createAuthority(`authority of a test ${randomUUID()}`);
  const { cert, key } = certificate ?? (await authority.issue({ names: [...names, ...LOOPBACK_NAMES] }));
  const server = createServer({ cert, key, ...tls }, handler);
  const addresses: string[] = [];
  server.on('connection', (socket: Socket) => addresses.push(socket.localAddress ?? ''));
  const port = await listenOnFreePort(server, host);
  return {
    /** The certificate is for this address too. */
    url: `https://127.0.0.1:${port}`,
    port,
    /** The authority (PEM) that has to be trusted for it. */
    ca: authority.ca,
    /** TCP connections so far, whatever became of them. */
    connections: () => addresses.length,
    /** For each of them, which address of this machine it came to. */
    addresses: () => addresses,
    close: () => closeServer(server),
  };
}
