import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import type { Metrics } from '../../api/server/metrics.ts';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import type { Config } from '../config/config.ts';

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

export interface MetricsPort {
  /** Where `/metrics` is. */
  readonly url: string;
  readonly close: () => void;
}

/** Offers the metrics at their own port, where one is configured. Rejects with `configuration` where it can't be listened on. */
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
