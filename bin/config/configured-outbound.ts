import type { OutboundSettings } from '../../runtime/outbound/outbound.ts';
import type { Config } from './config.ts';

/** How requests to customers' addresses are sent. */
export function outboundSettings(
  config: Pick<Config, 'OUTBOUND_ALLOW'>,
  { toolVersion }: { readonly toolVersion: string },
): OutboundSettings {
  return {
    allow: config.OUTBOUND_ALLOW,
    userAgent: `modelstats/${toolVersion}`,
    // With fewer a slow receiver holds up its own deliveries sooner; with more it gets a crowd at once after an outage.
    connectionsMax: 16,
    connectTimeoutMs: 5_000,
    // Less than the shortest wait of usual servers (5 s), so that no request is sent on a connection that is just being closed.
    keepAliveMs: 4_000,
  };
}
