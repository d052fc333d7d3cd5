import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, HeadObjectCommand, type HeadObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { AppError } from '../../runtime/errors.ts';
import type { ObjectHead, StoredObject } from '../object-store.ts';
import { objectAt, type S3Place } from './client.ts';
import { factsOf, s3ErrorFrom } from './errors.ts';

/** What an object's metadata tells. */
export interface S3ObjectHead extends ObjectHead {
  /** Which write it comes from; see `S3StoreWriter`. */
  readonly writeId: string | undefined;
}

/** Reads objects of a bucket: each reader gets one whole version or an error ({@link Download}). */
export class S3StoreReader {
  readonly #client: S3Client;
  readonly #place: S3Place;
  readonly #options: DownloadOptions;

  constructor(client: S3Client, place: S3Place, options: DownloadOptions) {
    this.#client = client;
    this.#place = place;
    this.#options = options;
  }

  /** The whole object; undefined where there is none. One that is replaced meanwhile is read again. */
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

  /** The object as a stream, its first bytes on their way; undefined where there is none. */
  async stream(key: string): Promise<Readable | undefined> {
    const download = await this.#start(key);
    if (download === undefined) return undefined;
    const stream = Readable.from(this.#reported(key, download.chunks()), { objectMode: false });
    return stream.once('close', () => download.close());
  }

  /** Undefined where there is no object. */
  async head(key: string): Promise<S3ObjectHead | undefined> {
    const response = await orUndefined(this.#client.send(new HeadObjectCommand(objectAt(this.#place, key))));
    return response && headFrom(response);
  }

  #start(key: string): Promise<Download | undefined> {
    return orUndefined(Download.start((offset) => this.#ask(key, offset), this.#options));
  }

  async #ask(key: string, offset: number): Promise<Answer> {
    const range = offset === 0 ? {} : { Range: `bytes=${offset}-` };
    const response = await this.#client.send(new GetObjectCommand({ ...objectAt(this.#place, key), ...range }));
    // In Node the SDK's body is always one of Node's streams.
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

/** Under this name an object keeps which write it comes from. */
export const WRITE_ID = 'modelstats-write';

/** The version in an answer. Without one nothing could be written conditionally. */
export function etagFrom(etag: string | undefined): string {
  if (etag === undefined || etag === '') throw new AppError('store_unavailable', 'the store answers without an ETag');
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

/** Undefined where the store says that there is no such object; a missing bucket stays an error. */
async function orUndefined<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    const { name } = factsOf(error);
    if (name === 'NoSuchKey' || name === 'NotFound') return undefined;
    throw error;
  }
}

/** An answer whose body is on its way. */
export interface Answer {
  readonly etag: string;
  /** Of this body. */
  readonly bytes: number;
  readonly body: Readable;
}

/** Asks for an object, from this byte to its end. */
export type Ask = (offset: number) => Promise<Answer>;

export interface DownloadOptions {
  /** How often in a row a connection may break without one new byte. */
  readonly attemptsMax: number;
  /** 0 ≤ x < 1, for the jitter of the retries. */
  readonly random: () => number;
}

/** The object is another one now, or gone, and the rest of what was being read can't be had any more. */
class ReplacedWhileRead extends Error {
  override readonly name = 'ReplacedWhileRead';
}

/**
 * The bytes of one version of an object. A connection that breaks is replaced by one that goes on at the next byte, if that
 * still is the same version. While there is no first byte yet, a newer version will do.
 */
export class Download {
  readonly #ask: Ask;
  readonly #options: DownloadOptions;
  #response: Answer;
  #chunks: AsyncIterator<Buffer>;
  /** Of the whole object. */
  #bytes: number;
  #offset = 0;

  private constructor(ask: Ask, response: Answer, options: DownloadOptions) {
    this.#ask = ask;
    this.#options = options;
    this.#response = response;
    this.#chunks = response.body[Symbol.asyncIterator]();
    this.#bytes = response.bytes;
  }

  static async start(ask: Ask, options: DownloadOptions): Promise<Download> {
    return new Download(ask, await ask(0), options);
  }

  /** The version of the bytes; final once there is a first one. */
  get etag(): string {
    return this.#response.etag;
  }

  /** To be called however the reading ended, also where it never began. */
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
      await this.#goOn();
    }
  }

  async #next(): Promise<Buffer | 'end' | { failure: unknown }> {
    try {
      const next = await this.#chunks.next();
      if (next.done !== true) return next.value;
      return this.#offset === this.#bytes ? 'end' : { failure: new Error('the object ended early') };
    } catch (failure) {
      return { failure };
    }
  }

  async #goOn(): Promise<void> {
    this.close();
    const response = await this.#askAgain();
    if (this.#offset > 0 && response.etag !== this.#response.etag) {
      response.body.destroy();
      throw new ReplacedWhileRead('it was replaced while it was read');
    }
    this.#response = response;
    this.#chunks = response.body[Symbol.asyncIterator]();
    this.#bytes = this.#offset + response.bytes;
  }

  async #askAgain(): Promise<Answer> {
    try {
      return await this.#ask(this.#offset);
    } catch (error) {
      const { status } = factsOf(error);
      // Gone, or shorter now than where we are.
      if (status !== 404 && status !== 416) throw error;
      throw new ReplacedWhileRead('it was replaced or removed while it was read', { cause: error });
    }
  }
}

const FIRST_DELAY_MS = 100;
