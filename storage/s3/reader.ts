import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, HeadObjectCommand, type HeadObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { AppError } from '../../runtime/errors.ts';
import type { ObjectHead, StoredObject } from '../object-store.ts';
import { objectAt, type S3Place } from './client.ts';
import { factsOf, s3ErrorFrom } from './errors.ts';

export interface S3ObjectHead extends ObjectHead {
  /** The write that created it; see `S3StoreWriter`. */
  readonly writeId: string | undefined;
}

export class S3StoreReader {
  readonly #client: S3Client;
  readonly #place: S3Place;
  readonly #options: DownloadOptions;

  constructor(client: S3Client, place: S3Place, options: DownloadOptions) {
    this.#client = client;
    this.#place = place;
    this.#options = options;
  }

  /** Undefined if there is no object. Starts again if the object is replaced meanwhile. */
  async read(key: string): Promise<StoredObject | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const download = await this.#start(key);
      if (download === undefined) return undefined;
      try {
        return { body: await buffer(download.chunks()), etag: download.etag };
      } catch (error) {
        if (!(error instanceof ReplacedWhileRead) || attempt >= this.#options.attemptsMax) throw error;
      } finally {
        download.close();
      }
    }
  }

  /** Undefined if there is no object. */
  async stream(key: string): Promise<Readable | undefined> {
    const download = await this.#start(key);
    if (download === undefined) return undefined;
    const stream = Readable.from(this.#reported(key, download.chunks()), { objectMode: false });
    return stream.once('close', () => download.close());
  }

  async head(key: string): Promise<S3ObjectHead | undefined> {
    const response = await orUndefined(this.#client.send(new HeadObjectCommand(objectAt(this.#place, key))));
    return response && headFrom(response);
  }

  #start(key: string): Promise<Download | undefined> {
    return orUndefined(Download.start((offset) => this.#fetch(key, offset), this.#options));
  }

  async #fetch(key: string, offset: number): Promise<ObjectResponse> {
    const range = offset === 0 ? {} : { Range: `bytes=${offset}-` };
    const response = await this.#client.send(new GetObjectCommand({ ...objectAt(this.#place, key), ...range }));
    // In Node the SDK's body is always a Node stream.
    return { etag: etagFrom(response.ETag), bytes: response.ContentLength ?? 0, body: response.Body as Readable };
  }

  async *#reported(key: string, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* chunks;
    } catch (error) {
      throw s3ErrorFrom(error, this.#place, `read all of ${key}`);
    }
  }
}

export const WRITE_ID = 'modelstats-write';

/** Conditional writes need it. */
export function etagFrom(etag: string | undefined): string {
  if (etag === undefined || etag === '') throw new AppError('store_unavailable', 'the store responded without an ETag');
  return etag;
}

function headFrom(response: HeadObjectCommandOutput): S3ObjectHead {
  return {
    bytes: response.ContentLength ?? 0,
    etag: etagFrom(response.ETag),
    modifiedAt: response.LastModified ?? new Date(0),
    writeId: response.Metadata?.[WRITE_ID],
  };
}

/** Undefined if there is no such object; a missing bucket stays an error. */
async function orUndefined<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    const { name } = factsOf(error);
    if (name === 'NoSuchKey' || name === 'NotFound') return undefined;
    throw error;
  }
}

export interface ObjectResponse {
  readonly etag: string;
  /** Of this body. */
  readonly bytes: number;
  readonly body: Readable;
}

/** Requests the object from this byte on. */
export type FetchObject = (offset: number) => Promise<ObjectResponse>;

export interface DownloadOptions {
  /** Failures in a row without a new byte. */
  readonly attemptsMax: number;
  /** 0 ≤ x < 1, for the jitter of retries. */
  readonly random: () => number;
}

class ReplacedWhileRead extends Error {
  override readonly name = 'ReplacedWhileRead';
}

/**
 * The bytes of one version of an object. After a broken connection it resumes at the next byte if the version is the
 * same; before the first byte, a newer version will do.
 */
export class Download {
  readonly #fetch: FetchObject;
  readonly #options: DownloadOptions;
  #response: ObjectResponse;
  #chunks: AsyncIterator<Buffer>;
  /** Of the whole object. */
  #bytes: number;
  #offset = 0;

  private constructor(fetch: FetchObject, response: ObjectResponse, options: DownloadOptions) {
    this.#fetch = fetch;
    this.#options = options;
    this.#response = response;
    this.#chunks = response.body[Symbol.asyncIterator]();
    this.#bytes = response.bytes;
  }

  static async start(fetch: FetchObject, options: DownloadOptions): Promise<Download> {
    return new Download(fetch, await fetch(0), options);
  }

  /** Final after the first byte. */
  get etag(): string {
    return this.#response.etag;
  }

  /** Call it in any case, also before reading. */
  close(): void {
    this.#response.body.destroy();
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for (let failures = 0; ; ) {
      const next = await this.#next();
      if (next === 'end') return;
      if (Buffer.isBuffer(next)) {
        this.#offset += next.length;
        failures = 0;
        yield next;
        continue;
      }
      failures += 1;
      if (failures >= this.#options.attemptsMax || this.#offset === this.#bytes) throw next.failure;
      await sleep(this.#options.random() * FIRST_DELAY_MS * 2 ** failures);
      await this.#resume();
    }
  }

  async #next(): Promise<Buffer | 'end' | { failure: unknown }> {
    try {
      const next = await this.#chunks.next();
      if (next.done !== true) return next.value;
      return this.#offset === this.#bytes ? 'end' : { failure: new Error('the object is incomplete') };
    } catch (failure) {
      return { failure };
    }
  }

  async #resume(): Promise<void> {
    this.close();
    const response = await this.#fetchRest();
    if (this.#offset > 0 && response.etag !== this.#response.etag) {
      response.body.destroy();
      throw new ReplacedWhileRead('it was replaced during the read');
    }
    this.#response = response;
    this.#chunks = response.body[Symbol.asyncIterator]();
    this.#bytes = this.#offset + response.bytes;
  }

  async #fetchRest(): Promise<ObjectResponse> {
    try {
      return await this.#fetch(this.#offset);
    } catch (error) {
      const { status } = factsOf(error);
      // Removed, or shorter now than the offset.
      if (status !== 404 && status !== 416) throw error;
      throw new ReplacedWhileRead('it was replaced or removed during the read', { cause: error });
    }
  }
}

const FIRST_DELAY_MS = 100;
