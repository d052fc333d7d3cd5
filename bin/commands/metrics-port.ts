import { createMetricsServer, type Metrics } from '../../api/server/metrics.ts';
import type { Config } from '../config/config.ts';
import { connectionSettings } from '../config/service/connection-settings.ts';
import { listenOn } from './listen-on.ts';

export interface MetricsPort {
  /** Where `/metrics` is. */
  readonly url: string;
  readonly close: () => void;
}

/** Offers the metrics at their own port, where one is configured. Rejects with `configuration` where it can't be listened on. */
export async function openMetricsPort(config: Config, metrics: Metrics): Promise<MetricsPort | undefined> {
  const { METRICS_HOST: host, METRICS_PORT: port, METRICS_TOKEN: token } = config;
  if (port === undefined) return undefined;
  const server = createMetricsServer(metrics, { token, connections: connectionSettings(config) });
  const given = await listenOn(server, { host, port });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${given}/metrics`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
