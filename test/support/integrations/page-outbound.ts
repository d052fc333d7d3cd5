import { Outbound } from '../../../http/outbound/outbound.ts';
import { LOOPBACK, OUTBOUND_SETTINGS } from '../http/outbound-settings.ts';

/** A guard for which every name leads to this machine, or to another address. */
export function pageOutbound(address = '127.0.0.1'): Outbound {
  const resolveName = async () => [{ address, family: 4 }];
  return new Outbound({ ...OUTBOUND_SETTINGS, allow: LOOPBACK, resolveName });
}
