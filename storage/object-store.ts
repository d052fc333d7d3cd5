import type { Readable } from 'node:stream';

/**
 * The port behind which published data lies (specification "The store"). Every adapter passes `object-store.contract.ts`.
 *
 * What every adapter guarantees:
 * - A key is a relative path of `/`-separated segments; see {@link assertKey}.
 * - A reader sees a whole object or none: never a part, never a mix of two writes.
 * - When a put resolves, the object survives a power cut.
 * - A conditional put holds between processes: of any number of racing writers exactly one wins.
 * - Errors are AppErrors: `not_found`, `precondition_failed`, `configuration` (an operator has to change a setting or a
 *   right) or `store_unavailable` (it may work later), with the cause. A put that ended with `store_unavailable` may have
 *   happened or not, as with any database whose answer got lost.
 */
export interface ObjectStore {
  /** Where this is, as the operator wrote it, without credentials. */
  readonly url: string;
  /**
   * How far the store's own clock is ahead of this machine's, in milliseconds, as its last answer told; below some minutes 0. Undefined
   * where it has no clock of its own.
   */
  clockAheadMs(): number | undefined;
  /** The whole object; undefined where there is none. */
  get(key: string): Promise<StoredObject | undefined>;
  /** Size, version and age of an object; undefined where there is none. */
  head(key: string): Promise<ObjectHead | undefined>;
  /** The object's bytes as a stream; rejects with `not_found` before the first byte. */
  stream(key: string): Promise<Readable>;
  /** Writes an object from memory. Rejects with `precondition_failed` where the condition doesn't hold. */
  put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult>;
  /** Writes an object from a local file, without holding it in memory. A file that can't be opened is thrown as it comes. */
  putFile(key: string, path: string, condition?: PutCondition): Promise<PutResult>;
  /** All objects whose key starts with the prefix, in the byte order of their keys. */
  list(prefix: string, options?: ListOptions): AsyncIterable<ListedObject>;
  /** Removes an object; fine when it is gone already. */
  delete(key: string): Promise<void>;
  /** A URL from which anybody can download the object for a while, without credentials. Doesn't check that it exists. */
  signedUrl(key: string, options: SignedUrlOptions): Promise<string>;
}

/** Only where nothing has the key yet, or only over exactly this version; neither: whatever is there is replaced. */
export type PutCondition = { readonly ifAbsent: true } | { readonly ifMatch: string };

export interface ListOptions {
  /** Only keys behind this text in byte order, which need be no key; those before it cost nothing. */
  readonly startAfter?: string;
}

export interface SignedUrlOptions {
  readonly expiresInSeconds: number;
}

export interface ObjectHead {
  readonly bytes: number;
  /** Opaque version: writes of different bytes to one key never have the same; writes of the same bytes may. */
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

/** True for a plain relative path that every adapter can store. */
export function isKey(key: string): boolean {
  return key.length <= KEY_LENGTH_MAX && key.split('/').every((segment) => SEGMENT.test(segment));
}

/** Throws where a key is not a plain relative path. Keys are ours, so a bad one is a defect, not bad input. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`not an object key: ${JSON.stringify(key)}`);
}

/** Throws where a prefix is not the beginning of some key; '' is the beginning of all. */
export function assertPrefix(prefix: string): void {
  if (!isKey(`${prefix}x`)) throw new TypeError(`not a prefix of object keys: ${JSON.stringify(prefix)}`);
}
