import { Outbound } from '../../../http/outbound/outbound.ts';
import { LOOPBACK, OUTBOUND_SETTINGS } from '../http/outbound-settings.ts';

/** A guard for which every name leads to this machine. */
export function pageOutbound(): Outbound {
  const resolveName = async () => [{ address: '127.0.0.1', family: 4 }];
  return new Outbound({ ...OUTBOUND_SETTINGS, allow: LOOPBACK, resolveName });
}
