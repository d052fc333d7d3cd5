import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  type _Object,
  DeleteObjectCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { AppError, isAppError } from '../../runtime/errors.ts';
import {
  assertKey,
  assertPrefix,
  isKey,
  type ListedObject,
  type ListOptions,
  type ObjectHead,
  type ObjectStore,
  type PutCondition,
  type PutResult,
  type SignedUrlOptions,
  type StoredObject,
} from '../object-store.ts';
import {
  ATTEMPTS_MAX,
  objectAt,
  type S3Address,
  type S3ClientOptions,
  type S3Place,
  s3ClientFrom,
  signerFrom,
} from './client.ts';
import { s3ErrorFrom } from './errors.ts';
import { S3StoreReader } from './reader.ts';
import { S3StoreWriter } from './writer.ts';

/**
 * Objects below a prefix in a bucket of Amazon S3 or a compatible store. Guarantees beyond the protocol:
 * - Conditional writes hold between processes; {@link checkConditionalWrites} proves that the store supports them.
 * - A write whose response was lost is reported correctly ({@link S3StoreWriter}).
 * - A reader gets one version, over several connections if necessary ({@link S3StoreReader}).
 * - The store verifies a SHA-256 of each upload; see `upload` for large ones.
 * - Time and attempts are limited, memory to twice `uploadsAtOnceMax` × `partsAtOnceMax` × `partBytes`.
 *
 * Object metadata belongs to the store. A killed upload leaves hidden parts: a lifecycle rule
 * (AbortIncompleteMultipartUpload) removes them; MinIO does after a day.
 */
export class S3Store implements ObjectStore {
  readonly url: string;
  readonly #client: S3Client;
  /** Signs URLs for the public endpoint, and never sends anything. */
  readonly #signer: S3Client;
  readonly #place: S3Place;
  readonly #reader: S3StoreReader;
  readonly #writer: S3StoreWriter;

  constructor(address: S3Address, options: S3StoreOptions = {}) {
    this.url = address.url;
    this.#client = s3ClientFrom(options);
    this.#signer = signerFrom(this.#client, options);
    this.#place = { ...address, endpoint: options.endpoint ?? 'Amazon S3' };
    const retries = { attemptsMax: options.attemptsMax ?? ATTEMPTS_MAX, random: options.random ?? Math.random };
    this.#reader = new S3StoreReader(this.#client, this.#place, retries);
    this.#writer = new S3StoreWriter(this.#client, this.#place, this.#reader, {
      ...retries,
      partBytes: options.partBytes ?? PART_BYTES,
      partsAtOnceMax: options.partsAtOnceMax ?? PARTS_AT_ONCE_MAX,
      uploadsAtOnceMax: options.uploadsAtOnceMax ?? UPLOADS_AT_ONCE_MAX,
    });
  }

  /** The SDK sets its clock by the responses, since S3 refuses requests of another time. */
  clockAheadMs(): number {
    return this.#client.config.systemClockOffset;
  }

  async get(key: string): Promise<StoredObject | undefined> {
    assertKey(key);
    return this.#report(`read ${key}`, () => this.#reader.read(key));
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    assertKey(key);
    const head = await this.#report(`look up ${key}`, () => this.#reader.head(key));
    return head && { bytes: head.bytes, etag: head.etag, modifiedAt: head.modifiedAt };
  }

  async stream(key: string): Promise<Readable> {
    assertKey(key);
    const stream = await this.#report(`read ${key}`, () => this.#reader.stream(key));
    if (stream === undefined) throw new AppError('not_found', `there is no ${key} in the store ${this.url}`);
    return stream;
  }

  async put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    assertKey(key);
    const source = { bytes: bytes.length, read: async () => bytes, stream: () => bytes };
    return { etag: await this.#writer.write(key, source, condition) };
  }

  async putFile(key: string, path: string, condition?: PutCondition): Promise<PutResult> {
    assertKey(key);
    const source = {
      bytes: (await stat(path)).size,
      read: () => readFile(path),
      stream: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }),
    };
    return { etag: await this.#writer.write(key, source, condition) };
  }

  async *list(prefix: string, { startAfter }: ListOptions = {}): AsyncGenerator<ListedObject> {
    assertPrefix(prefix);
    try {
      const start = startAfter === undefined ? {} : { StartAfter: this.#place.prefix + startAfter };
      const request = { Bucket: this.#place.bucket, Prefix: this.#place.prefix + prefix, ...start };
      for await (const page of paginateListObjectsV2({ client: this.#client }, request)) {
        yield* (page.Contents ?? []).flatMap((listed) => this.#listedFrom(listed));
      }
    } catch (error) {
      throw s3ErrorFrom(error, this.#place, `list '${prefix}'`);
    }
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    await this.#report(`delete ${key}`, () => this.#client.send(new DeleteObjectCommand(objectAt(this.#place, key))));
  }

  async signedUrl(key: string, { expiresInSeconds }: SignedUrlOptions): Promise<string> {
    assertKey(key);
    const request = new GetObjectCommand(objectAt(this.#place, key));
    return this.#report(`sign ${key}`, () => getSignedUrl(this.#signer, request, { expiresIn: expiresInSeconds }));
  }

  /**
   * Writes and removes a probe object (six requests); rejects with `configuration` if conditions are ignored. Call it
   * before the first write.
   */
  async checkConditionalWrites(): Promise<void> {
    const key = `.probe-${randomUUID()}`;
    const remove = () => this.#client.send(new DeleteObjectCommand(objectAt(this.#place, key)));
    await checkConditionalWrites({ key, remove, writer: this.#writer, place: this.#place });
  }

  /** Skips names below the prefix that aren't keys. */
  #listedFrom({ Key, Size, LastModified }: _Object): ListedObject[] {
    const key = (Key ?? '').slice(this.#place.prefix.length);
    return isKey(key) ? [{ key, bytes: Size ?? 0, modifiedAt: LastModified ?? new Date(0) }] : [];
  }

  /** @param doing what failed, for "cannot …" */
  async #report<T>(doing: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw s3ErrorFrom(error, this.#place, doing);
    }
  }
}

export interface S3StoreOptions extends S3ClientOptions {
  /** Larger objects are uploaded in parts of this size; at least 5 MB. */
  readonly partBytes?: number;
  /** Per object. */
  readonly partsAtOnceMax?: number;
  /** Further ones wait. */
  readonly uploadsAtOnceMax?: number;
  /** 0 ≤ x < 1, for the jitter of retries. */
  readonly random?: () => number;
}

/**
 * Smaller: more requests, and objects above 80 GB need larger parts. Larger: more memory, and more to repeat after a
 * fault.
 */
const PART_BYTES = 8 * 1024 * 1024;

/** With four uploads, 16 connections fill a line and use at most 256 MB. */
const PARTS_AT_ONCE_MAX = 4;
const UPLOADS_AT_ONCE_MAX = 4;

/** Smaller: more calls per byte. Larger: more memory per file. */
const CHUNK_BYTES = 1024 * 1024;

interface Probe {
  /** An unused key. */
  readonly key: string;
  readonly remove: () => Promise<unknown>;
  readonly writer: S3StoreWriter;
  readonly place: S3Place;
}

/**
 * Proves conditional writes: of each kind, one that holds succeeds and one that doesn't is refused. Some stores ignore
 * the headers, so two nights could commit one day. Also finds how the store wants versions quoted. Rejects with
 * `configuration` if conditions are ignored or never hold.
 */
export async function checkConditionalWrites(probe: Probe): Promise<void> {
  const first = await probe.writer.write(probe.key, sourceOf('1'), { ifAbsent: true });
  try {
    await checkConditions(probe, first);
  } finally {
    await probe.remove().catch(() => undefined); // No listing shows a probe that is left.
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
