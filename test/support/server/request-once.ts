/** A process that requests the URL of its first argument through the guard, and prints the answer's kind, or the failure's reason. */
import { Outbound } from '../../../runtime/outbound/outbound.ts';
import { LOOPBACK, OUTBOUND_SETTINGS, requestTo } from './outbound-settings.ts';

const outbound = new Outbound({ ...OUTBOUND_SETTINGS, allow: LOOPBACK });
const response = await outbound.request(requestTo(process.argv[2] ?? ''));
process.stdout.write(response.kind === 'failure' ? response.reason : response.kind);
await outbound.close();
