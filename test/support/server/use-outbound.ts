import { onTestFinished } from 'vitest';
import { Outbound, type OutboundSettings } from '../../../runtime/outbound/outbound.ts';
import { LOOPBACK, OUTBOUND_SETTINGS } from './outbound-settings.ts';
import { startTlsReceiver, type TlsReceiver, type TlsReceiverOptions } from './tls-receiver.ts';

export function openOutbound(settings: Partial<OutboundSettings> = {}): Outbound {
  const outbound = new Outbound({ ...OUTBOUND_SETTINGS, ...settings });
  onTestFinished(() => outbound.close());
  return outbound;
}

/** A receiver on loopback and a guard that may reach it, until the test is over. */
export async function openReceiver(
  handler: TlsReceiverOptions['handler'],
  { settings = {}, ...options }: Omit<TlsReceiverOptions, 'handler'> & { settings?: Partial<OutboundSettings> } = {},
): Promise<{ readonly receiver: TlsReceiver; readonly outbound: Outbound }> {
  const receiver = await startTlsReceiver({ handler, ...options });
  onTestFinished(receiver.close);
  return { receiver, outbound: openOutbound({ allow: LOOPBACK, ca: receiver.ca, ...settings }) };
}
