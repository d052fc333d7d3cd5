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
 * Writes objects into a bucket, and finds out what became of a write whose answer got lost.
 *
 * Each write leaves an id of its own in the object's metadata. A retry after a lost answer meets its own first try: a condition
 * fails, or an upload is gone because it was completed. So before such a write is called lost or failed, the object is looked at,
 * and where it carries this id the write was done. One thing can't be told: when somebody else replaced the object between the
 * try and the look, a write that was done is reported as `precondition_failed`. Its bytes were in force for that moment.
 */
export class S3StoreWriter {
  readonly #client: S3Client;
  readonly #place: S3Place;
  readonly #reader: S3StoreReader;
  readonly #options: S3StoreWriterOptions;
  readonly #limit: LimitFunction;
  /** Most stores take a version as they gave it, in quotes; Ceph compares it without. The probe finds out. */
  conditionQuotes: 'kept' | 'removed' = 'kept';

  constructor(client: S3Client, place: S3Place, reader: S3StoreReader, options: S3StoreWriterOptions) {
    this.#client = client;
    this.#place = place;
    this.#reader = reader;
    this.#options = options;
    this.#limit = pLimit(options.uploadsAtOnceMax);
  }

  /** Writes an object; its version. */
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
      return undefined; // The error of the write tells more than that of the look.
    }
  }

  #errorFrom(error: unknown, key: string, condition: PutCondition | undefined): AppError {
    const { name: code, status } = factsOf(error);
    const isGone = condition !== undefined && 'ifMatch' in condition && code === 'NoSuchKey';
    if (status !== 412 && !isGone) return s3ErrorFrom(error, this.#place, `write ${key}`);
    const why = isGone ? 'it is gone' : 'somebody else wrote it first';
    return new AppError('precondition_failed', `${key} was not written: ${why}`, { cause: error, details: { key } });
  }
}

export interface S3StoreWriterOptions extends UploadOptions {
  /** Whole uploads at the same time; further ones wait. */
  readonly uploadsAtOnceMax: number;
  /** How often a conditional write may start again that met another. */
  readonly attemptsMax: number;
  /** 0 ≤ x < 1, for the jitter of the retries. */
  readonly random: () => number;
}

const CONFLICT_DELAY_MS = 50;
/** Larger: a right that is really missing is told later, by a fifth of a second each. */
const DENIED_ATTEMPTS_MAX = 3;

/** How often a write is tried that ended in this error. */
function attemptsFor(error: unknown): number {
  const { name, status } = factsOf(error);
  // Two conditional writes met in the middle; neither need have won, so S3 asks to start again.
  if (status === 409) return Number.POSITIVE_INFINITY;
  // MinIO says so, too, where the folder of a key went with another deletion while the write made it.
  return name === 'AccessDenied' ? DENIED_ATTEMPTS_MAX : 1;
}

/** Whether the write may have been done although it ended in this error. */
function isUncertain(error: unknown): boolean {
  const { status } = factsOf(error);
  return status === '' || status >= 500 || status === 404 || status === 409 || status === 412;
}

/** Bytes that can be read again when an upload starts again. */
export interface UploadSource {
  readonly bytes: number;
  /** All of them at once; asked for small sources only. */
  read(): Promise<Uint8Array>;
  /** Them from the beginning; asked for large sources only. */
  stream(): Readable | Uint8Array;
}

export interface UploadOptions {
  /** Objects above this size go up in parts of it, in bytes; 5 MB at least. */
  readonly partBytes: number;
  /** Parts of one object at the same time. In memory are about twice as many. */
  readonly partsAtOnceMax: number;
}

export type UploadRequest = Pick<PutObjectCommandInput, 'Bucket' | 'Key' | 'Metadata' | 'IfNoneMatch' | 'IfMatch'>;

/** S3 takes no more parts than this. */
const PARTS_MAX = 10_000;

/**
 * Uploads an object, at once or in parts, without holding a large one in memory. The store verifies the SHA-256 of what arrives:
 * of the whole where it comes at once, of each part and of their number where not (the checksum that it keeps is then a hash of
 * the parts' hashes). A condition is checked at the end of the upload, when the object appears.
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
  gz: 'application/gzip', // A file, not a transfer encoding: nobody may unpack it on the way.
  parquet: 'application/vnd.apache.parquet',
};

function contentTypeOf(name: string): string {
  return CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}
