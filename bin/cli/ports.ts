import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import type { Metrics } from '../../api/server/metrics.ts';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import type { Config } from '../config/config.ts';

/** Listens; resolves to the port (for 0, any free one). Rejects with `configuration` if it can't. */
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
  return (server.address() as AddressInfo).port; // A server that listens on a port has such an address.
}

export interface MetricsPort {
  readonly url: string;
  readonly close: () => void;
}

/** Serves metrics at their own port, if one is configured. Rejects with `configuration` if it can't listen. */
export async function openMetricsPort(config: Config, metrics: Metrics): Promise<MetricsPort | undefined> {
  const { host, port, token } = config.metrics;
  if (port === undefined) return undefined;
  const { createMetricsServer } = await import('../../api/server/metrics.ts');
  const server = createMetricsServer(metrics, { token, connections: config.connections });
  const given = await listenOn(server, { host, port });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${given}/metrics`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
