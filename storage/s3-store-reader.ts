import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, HeadObjectCommand, type HeadObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { AppError } from '../schemas/errors.ts';
import type { ObjectHead } from './object-store.ts';
import { objectAt, type S3Place } from './s3-store-address.ts';
import { factsOf, s3ErrorFrom } from './s3-store-errors.ts';

/** An object whose first bytes are on their way. */
export interface ReadObject {
  readonly body: Readable;
  /** The version of what the body gave; to be asked after its first byte. */
  version(): string;
}

/**
 * Reads objects of a bucket.
 *
 * A connection that breaks is replaced by one that goes on at the next byte of the same version (Range and If-Match), so a
 * reader gets one whole version or an error, and a slow one may pause as long as it likes.
 */
export class S3StoreReader {
  readonly #client: S3Client;
  readonly #place: S3Place;
  readonly #options: S3StoreReaderOptions;

  constructor(client: S3Client, place: S3Place, options: S3StoreReaderOptions) {
    this.#client = client;
    this.#place = place;
    this.#options = options;
  }

  /** The object, its first bytes on their way; undefined where there is none. */
  async find(key: string): Promise<ReadObject | undefined> {
    const first = await orUndefined(this.#request(key, {}));
    if (first === undefined) return undefined;
    const reading = { ...first, offset: 0 };
    const body = Readable.from(this.#readOn(key, reading), { objectMode: false });
    // However it ends, also before the first byte was asked for, the connection is not kept.
    body.once('close', () => reading.body.destroy());
    return { body, version: () => reading.etag };
  }

  async findHead(key: string): Promise<(ObjectHead & { readonly writeId: string | undefined }) | undefined> {
    const answer = await orUndefined(this.#client.send(new HeadObjectCommand(objectAt(this.#place, key))));
    return answer && headFrom(answer);
  }

  async *#readOn(key: string, reading: Reading): AsyncGenerator<Buffer> {
    let failures = 0;
    try {
      for (;;) {
        const next = await nextOf(reading);
        if (next.is === 'end') return;
        if (next.is === 'chunk') {
          reading.offset += next.chunk.length;
          failures = 0;
          yield next.chunk;
          continue;
        }
        failures += 1;
        if (failures >= this.#options.attemptsMax || isComplete(reading)) throw next.error;
        await sleep(this.#options.random() * FIRST_DELAY_MS * 2 ** failures);
        reading.body.destroy();
        Object.assign(reading, await this.#goOn(key, reading));
      }
    } catch (error) {
      throw s3ErrorFrom(error, this.#place, `read all of ${key}`);
    }
  }

  /** A new connection for the bytes that are missing; for all of them it may be a newer version. */
  async #goOn(key: string, { etag, bytes, offset }: Reading): Promise<Answer> {
    if (offset === 0) return this.#request(key, {});
    const { body, chunks } = await this.#request(key, { Range: `bytes=${offset}-`, IfMatch: etag });
    return { etag, bytes, body, chunks };
  }

  async #request(key: string, part: { Range?: string; IfMatch?: string }): Promise<Answer> {
    const answer = await this.#client.send(new GetObjectCommand({ ...objectAt(this.#place, key), ...part }));
    // In Node the SDK's body is always one of Node's streams.
    const body = answer.Body as Readable;
    const chunks = body[Symbol.asyncIterator]();
    return { etag: etagFrom(answer.ETag), bytes: answer.ContentLength ?? 0, body, chunks };
  }
}

export interface S3StoreReaderOptions {
  /** How often in a row a connection may break without one new byte. */
  readonly attemptsMax: number;
  /** 0 ≤ x < 1, for the jitter of the retries. */
  readonly random: () => number;
}

/** Under this name an object keeps which write it comes from; see `S3StoreWriter`. */
export const WRITE_ID = 'modelstats-write';

const FIRST_DELAY_MS = 100;

interface Answer {
  readonly etag: string;
  readonly bytes: number;
  readonly body: Readable;
  /** Of the body. */
  readonly chunks: AsyncIterator<Buffer>;
}

interface Reading extends Answer {
  /** Bytes that the reader has. */
  offset: number;
}

type Next = { is: 'chunk'; chunk: Buffer } | { is: 'end' } | { is: 'failure'; error: unknown };

async function nextOf(reading: Reading): Promise<Next> {
  try {
    const next = await reading.chunks.next();
    if (next.done !== true) return { is: 'chunk', chunk: next.value };
    return isComplete(reading) ? { is: 'end' } : { is: 'failure', error: new Error('the object ended early') };
  } catch (error) {
    return { is: 'failure', error };
  }
}

function isComplete({ offset, bytes }: Reading): boolean {
  return offset === bytes;
}

function headFrom(answer: HeadObjectCommandOutput): ObjectHead & { readonly writeId: string | undefined } {
  return {
    bytes: answer.ContentLength ?? 0,
    etag: etagFrom(answer.ETag),
    modifiedAt: answer.LastModified ?? new Date(0),
    writeId: answer.Metadata?.[WRITE_ID],
  };
}

/** The version in an answer. Without one nothing could be written conditionally. */
export function etagFrom(etag: string | undefined): string {
  if (etag === undefined || etag === '') throw new AppError('store_unavailable', 'the store answers without an ETag');
  return etag;
}

/** Undefined where the store says that there is no such object; a missing bucket stays an error. */
async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    const { name } = factsOf(error);
    if (name === 'NoSuchKey' || name === 'NotFound') return undefined;
    throw error;
  }
}
