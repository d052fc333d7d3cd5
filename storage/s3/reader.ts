import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { GetObjectCommand, HeadObjectCommand, type HeadObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { AppError } from '../../runtime/errors.ts';
import type { ObjectHead, StoredObject } from '../object-store.ts';
import { objectAt, type S3Place } from './address.ts';
import { type Answer, Download, type DownloadOptions, ReplacedWhileRead } from './download.ts';
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
    const answer = await orUndefined(this.#client.send(new HeadObjectCommand(objectAt(this.#place, key))));
    return answer && headFrom(answer);
  }

  #start(key: string): Promise<Download | undefined> {
    return orUndefined(Download.start((offset) => this.#ask(key, offset), this.#options));
  }

  async #ask(key: string, offset: number): Promise<Answer> {
    const range = offset === 0 ? {} : { Range: `bytes=${offset}-` };
    const answer = await this.#client.send(new GetObjectCommand({ ...objectAt(this.#place, key), ...range }));
    // In Node the SDK's body is always one of Node's streams.
    return { etag: etagFrom(answer.ETag), bytes: answer.ContentLength ?? 0, body: answer.Body as Readable };
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

function headFrom(answer: HeadObjectCommandOutput): S3ObjectHead {
  return {
    bytes: answer.ContentLength ?? 0,
    etag: etagFrom(answer.ETag),
    modifiedAt: answer.LastModified ?? new Date(0),
    writeId: answer.Metadata?.[WRITE_ID],
  };
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
