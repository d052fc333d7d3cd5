import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../../runtime/errors.ts';
import { retry } from '../../runtime/retry.ts';
import type { PutCondition } from '../object-store.ts';
import { objectAt, type S3Place } from './client.ts';
import { factsOf, s3ErrorFrom } from './errors.ts';
import { etagFrom, type S3StoreReader, WRITE_ID } from './reader.ts';

/**
 * Writes objects, and finds out whether a write whose response was lost succeeded. Each write stores an id in the
 * object's metadata. Its own retry may fail by its first attempt: a condition fails, or the upload was completed. So
 * before reporting such an error, it checks the object for the id. One limit: if another process replaced the object
 * before that check, a successful write is reported as `precondition_failed`.
 */
export class S3StoreWriter {
  readonly #client: S3Client;
  readonly #place: S3Place;
  readonly #reader: S3StoreReader;
  readonly #options: S3StoreWriterOptions;
  readonly #limit: LimitFunction;
  /** Most stores expect the ETag in quotes, Ceph without; the probe finds out. */
  conditionQuotes: 'kept' | 'removed' = 'kept';

  constructor(client: S3Client, place: S3Place, reader: S3StoreReader, options: S3StoreWriterOptions) {
    this.#client = client;
    this.#place = place;
    this.#reader = reader;
    this.#options = options;
    this.#limit = pLimit(options.uploadsAtOnceMax);
  }

  write(key: string, source: UploadSource, condition?: PutCondition): Promise<string> {
    return this.#limit(() => this.#writeNow(key, source, condition));
  }

  #writeNow(key: string, source: UploadSource, condition: PutCondition | undefined): Promise<string> {
    const { attemptsMax, random } = this.#options;
    const delayAfter = (error: unknown, attempt: number) => {
      if (attempt < Math.min(attemptsFor(error), attemptsMax)) return random() * CONFLICT_DELAY_MS * 2 ** attempt;
      throw this.#errorFrom(error, key, condition);
    };
    return retry(() => this.#writeOnce(key, source, condition), { delayAfter });
  }

  async #writeOnce(key: string, source: UploadSource, condition: PutCondition | undefined): Promise<string> {
    const writeId = randomUUID();
    const request = {
      ...objectAt(this.#place, key),
      Metadata: { [WRITE_ID]: writeId },
      ...this.#headersFrom(condition),
    };
    try {
      return await upload(this.#client, request, source, this.#options);
    } catch (error) {
      const etag = isUncertain(error) ? await this.#etagIfWritten(key, writeId) : undefined;
      if (etag === undefined) throw error;
      return etag;
    }
  }

  #headersFrom(condition: PutCondition | undefined): { IfNoneMatch?: string; IfMatch?: string } {
    if (condition === undefined) return {};
    if ('ifAbsent' in condition) return { IfNoneMatch: '*' };
    const { ifMatch } = condition;
    return { IfMatch: this.conditionQuotes === 'kept' ? ifMatch : ifMatch.replaceAll('"', '') };
  }

  async #etagIfWritten(key: string, writeId: string): Promise<string | undefined> {
    try {
      const head = await this.#reader.head(key);
      return head?.writeId === writeId ? head.etag : undefined;
    } catch {
      return undefined; // The write's own error says more.
    }
  }

  #errorFrom(error: unknown, key: string, condition: PutCondition | undefined): AppError {
    const { name: code, status } = factsOf(error);
    const isGone = condition !== undefined && 'ifMatch' in condition && code === 'NoSuchKey';
    if (status !== 412 && !isGone) return s3ErrorFrom(error, this.#place, `write ${key}`);
    const why = isGone ? 'it is gone' : 'another process wrote it first';
    return new AppError('precondition_failed', `${key} was not written: ${why}`, { cause: error, details: { key } });
  }
}

export interface S3StoreWriterOptions extends UploadOptions {
  /** Whole uploads; further ones wait. */
  readonly uploadsAtOnceMax: number;
  /** Attempts of a conditional write that met another. */
  readonly attemptsMax: number;
  /** 0 ≤ x < 1, for the jitter of retries. */
  readonly random: () => number;
}

const CONFLICT_DELAY_MS = 50;
/** Larger: a missing right is reported later, by 0.2 s each. */
const DENIED_ATTEMPTS_MAX = 3;

function attemptsFor(error: unknown): number {
  const { name, status } = factsOf(error);
  // Two conditional writes met; neither need have won, so S3 wants both to retry.
  if (status === 409) return Number.POSITIVE_INFINITY;
  // MinIO sends it too if a deletion removed the key's folder during the write.
  return name === 'AccessDenied' ? DENIED_ATTEMPTS_MAX : 1;
}

/** Whether the write may have succeeded in spite of this error. */
function isUncertain(error: unknown): boolean {
  const { status } = factsOf(error);
  return status === '' || status >= 500 || status === 404 || status === 409 || status === 412;
}

export interface UploadSource {
  readonly bytes: number;
  /** Used for small sources. */
  read(): Promise<Uint8Array>;
  /** Used for large sources. */
  stream(): Readable | Uint8Array;
}

export interface UploadOptions {
  /** Larger objects are uploaded in parts of this size; at least 5 MB. */
  readonly partBytes: number;
  /** Per object; memory holds about twice as many. */
  readonly partsAtOnceMax: number;
}

export type UploadRequest = Pick<PutObjectCommandInput, 'Bucket' | 'Key' | 'Metadata' | 'IfNoneMatch' | 'IfMatch'>;

/** Limit of S3. */
const PARTS_MAX = 10_000;

/**
 * Uploads in one request or in parts, without holding a large object in memory. The store verifies the SHA-256 of the
 * whole, or of each part and their number (then it keeps a hash of the parts' hashes). Conditions are checked at the
 * end.
 * @returns the version
 */
export async function upload(
  client: S3Client,
  request: UploadRequest,
  source: UploadSource,
  options: UploadOptions,
): Promise<string> {
  const params = { ...request, ContentType: contentTypeOf(request.Key ?? ''), ChecksumAlgorithm: 'SHA256' as const };
  if (source.bytes > options.partBytes) return uploadParts(client, params, source, options);
  const { ETag } = await client.send(new PutObjectCommand({ ...params, Body: await source.read() }));
  return etagFrom(ETag);
}

async function uploadParts(
  client: S3Client,
  params: PutObjectCommandInput,
  source: UploadSource,
  { partBytes, partsAtOnceMax }: UploadOptions,
): Promise<string> {
  const body = source.stream();
  try {
    const { ETag } = await new Upload({
      client,
      params: { ...params, Body: body, ContentLength: source.bytes },
      partSize: Math.max(partBytes, Math.ceil(source.bytes / PARTS_MAX)),
      queueSize: partsAtOnceMax,
    }).done();
    return etagFrom(ETag);
  } finally {
    if (body instanceof Readable) body.destroy();
  }
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  gz: 'application/gzip', // A file, not a transfer encoding: proxies must not unpack it.
  parquet: 'application/vnd.apache.parquet',
};

function contentTypeOf(name: string): string {
  return CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}
