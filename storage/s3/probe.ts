import { AppError, isAppError } from '../../runtime/errors.ts';
import type { PutCondition } from '../object-store.ts';
import type { S3Place } from './address.ts';
import type { S3StoreWriter } from './writer.ts';

interface Probe {
  /** That of an object that nothing has. */
  readonly key: string;
  /** Removes it when the probe is over. */
  readonly remove: () => Promise<unknown>;
  readonly writer: S3StoreWriter;
  readonly place: S3Place;
}

/**
 * Proves that a store keeps conditions: of each kind it lets one through that holds and refuses one that doesn't. Some stores
 * ignore the headers and answer 200, and would let two nights commit one day. Also finds out how the store wants its versions
 * written. Rejects with `configuration` where a condition is ignored or never holds.
 */
export async function checkConditionalWrites(probe: Probe): Promise<void> {
  const first = await probe.writer.write(probe.key, sourceOf('1'), { ifAbsent: true });
  try {
    await checkConditions(probe, first);
  } finally {
    await probe.remove().catch(() => undefined); // No listing shows a probe that stays behind.
  }
}

async function checkConditions(probe: Probe, first: string): Promise<void> {
  if (!(await isRefused(probe, '2', { ifAbsent: true })))
    throw unfit(probe, 'overwrites an object that must not exist (If-None-Match: *)');
  if (await isRefused(probe, '3', { ifMatch: first })) {
    probe.writer.conditionQuotes = 'removed';
    if (await isRefused(probe, '3', { ifMatch: first }))
      throw unfit(probe, 'refuses to replace a version that it has (If-Match)');
  }
  if (!(await isRefused(probe, '4', { ifMatch: first })))
    throw unfit(probe, 'replaces a version that it no longer has (If-Match)');
}

async function isRefused({ writer, key }: Probe, body: string, condition: PutCondition): Promise<boolean> {
  try {
    await writer.write(key, sourceOf(body), condition);
    return false;
  } catch (error) {
    if (isAppError(error, 'precondition_failed')) return true;
    throw error;
  }
}

function sourceOf(text: string) {
  const bytes = Buffer.from(text);
  return { bytes: bytes.length, read: async () => bytes, stream: () => bytes };
}

function unfit({ place }: Probe, why: string): AppError {
  return new AppError(
    'configuration',
    `the store ${place.url} can't be written to safely: ${place.endpoint} ${why}. Two nights could overwrite each other. ` +
      'Use a store with conditional writes: Amazon S3, MinIO, Cloudflare R2 or Ceph',
    { details: { store: place.url } },
  );
}
