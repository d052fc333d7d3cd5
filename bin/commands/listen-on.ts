import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { AppError, messageFromError } from '../../runtime/errors.ts';

/** Begins to listen; resolves to the port, which is any free one for 0. Rejects with `configuration` where it can't. */
export async function listenOn(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw new AppError('configuration', `can't listen on ${host}:${port}: ${messageFromError(cause)}`, { cause });
  }
  return (server.address() as AddressInfo).port; // Of a server that listens on a port.
}
