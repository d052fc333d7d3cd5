import { messageFromError } from '../../../../runtime/errors.ts';
import { type Finding, type Setup, warn } from '../finding.ts';
import { compareClocks } from './clock.ts';

/** For the whole answer. */
const TIMEOUT_MS = 5_000;

/** How this clock stands to that of the S3 server, which tells its time with any answer, also a refusal; undefined for a folder. */
export async function checkStoreClock({ config, clock, grounds }: Setup): Promise<Finding | undefined> {
  if (!config.STORE.startsWith('s3://')) return undefined;
  const address = config.S3_ENDPOINT ?? `https://s3.${config.S3_REGION ?? 'us-east-1'}.amazonaws.com`;
  const unknown = (why: string) => warn(`the time of ${address} is not known: ${why}`, 'see what the store says');
  try {
    const { headers } = await fetch(address, { method: 'HEAD', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const date = new Date(headers.get('date') ?? '');
    return Number.isNaN(date.getTime()) ? unknown('it tells none') : compareClocks(clock(), date, address);
  } catch (error) {
    await grounds.store(); // Where that can't be reached either, it is one cause.
    return unknown(messageFromError(error instanceof Error && error.cause !== undefined ? error.cause : error));
  }
}
