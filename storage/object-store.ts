import type { Readable } from 'node:stream';

/**
 * The port of the published data's store (specification "The store"), tested by `object-store.contract.ts`. Every
 * adapter guarantees:
 * - Keys are relative paths; see {@link assertKey}.
 * - A reader sees a complete object of one write, or none.
 * - An object that was put survives a power cut.
 * - Of racing conditional puts, in any processes, exactly one wins.
 * - Errors are AppErrors with the cause: `not_found`, `precondition_failed`, `configuration` (an operator must change a
 *   setting or a right) or `store_unavailable` (may succeed later; the put may have happened).
 */
export interface ObjectStore {
  /** As the operator wrote it, without credentials. */
  readonly url: string;
  /** How far the store's clock was ahead in its last response; 0 below some minutes. Undefined if it has no clock. */
  clockAheadMs(): number | undefined;
  /** Undefined if there is no object. */
  get(key: string): Promise<StoredObject | undefined>;
  /** Undefined if there is no object. */
  head(key: string): Promise<ObjectHead | undefined>;
  /** Rejects with `not_found` before the first byte. */
  stream(key: string): Promise<Readable>;
  /** Rejects with `precondition_failed` if the condition doesn't hold. */
  put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult>;
  /** Doesn't hold the file in memory. Rejects with the system's error if the file can't be opened. */
  putFile(key: string, path: string, condition?: PutCondition): Promise<PutResult>;
  /** In the byte order of the keys. */
  list(prefix: string, options?: ListOptions): AsyncIterable<ListedObject>;
  /** Resolves also if there is no object. */
  delete(key: string): Promise<void>;
  /** A URL for downloads without credentials, valid for a while. Doesn't check that the object exists. */
  signedUrl(key: string, options: SignedUrlOptions): Promise<string>;
}

/** Create only, or replace exactly this version; without a condition, replace anything. */
export type PutCondition = { readonly ifAbsent: true } | { readonly ifMatch: string };

export interface ListOptions {
  /** Only keys after this text in byte order; earlier ones cost nothing. */
  readonly startAfter?: string;
}

export interface SignedUrlOptions {
  readonly expiresInSeconds: number;
}

export interface ObjectHead {
  readonly bytes: number;
  /** Opaque version. Different bytes under one key never share it; the same bytes may. */
  readonly etag: string;
  readonly modifiedAt: Date;
}

export interface StoredObject {
  readonly body: Buffer;
  readonly etag: string;
}

export interface PutResult {
  readonly etag: string;
}

export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const KEY_LENGTH_MAX = 512;

export function isKey(key: string): boolean {
  return key.length <= KEY_LENGTH_MAX && key.split('/').every((segment) => SEGMENT.test(segment));
}

/** Keys are generated here, so a bad one is a defect, not bad input. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`not an object key: ${JSON.stringify(key)}`);
}

/** The empty prefix is valid. */
export function assertPrefix(prefix: string): void {
  if (!isKey(`${prefix}x`)) throw new TypeError(`not a prefix of object keys: ${JSON.stringify(prefix)}`);
}
