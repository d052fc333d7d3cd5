import { parseNetwork } from '../../../runtime/outbound/address-check.ts';
import type { OutboundRequest, OutboundSettings } from '../../../runtime/outbound/outbound.ts';

export const OUTBOUND_SETTINGS: OutboundSettings = {
  allow: [],
  userAgent: 'modelstats-test',
  connectionsMax: 4,
  connectTimeoutMs: 5_000,
  keepAliveMs: 4_000,
};

export const LOOPBACK = [parseNetwork('127.0.0.0/8'), parseNetwork('::1/128')];

export function requestTo(url: string, request: Partial<OutboundRequest> = {}): OutboundRequest {
  return { method: 'GET', url, timeoutMs: 5_000, responseBytesMax: 1_024, ...request };
}
