import type { FastifyRequest } from 'fastify';
import { HttpError } from '../../server/errors/http-error.ts';

/** Counts a search of an address; rejects with 429 where it asks too often. */
export type LimitSearch = (address: string) => Promise<void>;

/** What refuses a search of an address that asks too often; undefined: nothing does. Rejects where it could not be counted. */
export async function findRefusal(
  limit: LimitSearch,
  { ip }: Pick<FastifyRequest, 'ip'>,
): Promise<HttpError | undefined> {
  try {
    await limit(ip);
  } catch (error) {
    if (error instanceof HttpError && error.code === 'rate_limit_exceeded') return error;
    throw error;
  }
  return undefined;
}
