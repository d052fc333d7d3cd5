import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, messageFromError } from '../runtime/errors.ts';
import { shownAddress } from '../runtime/shown-address.ts';
import { FileStore, type FileStoreOptions } from './file/file-store.ts';
import type { ObjectStore } from './object-store.ts';
import type { S3StoreOptions } from './s3/s3-store.ts';

export interface OpenStoreOptions {
  /**
   * What the caller will do; default `read`. Before writing, a store proves that it keeps conditions, where that is in
   * doubt.
   */
  readonly access?: 'read' | 'write';
  /** For `file:` stores. */
  readonly file?: Omit<FileStoreOptions, 'url'>;
  /** For `s3:` stores. */
  readonly s3?: S3StoreOptions;
}

/**
 * The store at an address (specification "The store"): `file:PATH`, where the path may be relative to the working folder, or
 * `s3://bucket/prefix`. Rejects with `configuration` where the address is neither, or the store can't be written to safely.
 */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<ObjectStore> {
  if (url.startsWith('file:')) return new FileStore(pathFromUrl(url), { ...options.file, url });
  if (url.startsWith('s3://')) return openS3Store(url, options);
  throw notAStore(url, 'it must begin with file: or s3://');
}

/** Where the objects of a file store lie, a file per key; undefined for other stores. Throws `configuration` as above. */
export function folderFromUrl(url: string): string | undefined {
  return url.startsWith('file:') ? resolve(pathFromUrl(url)) : undefined;
}

/** Loads the SDK only now: it takes a moment that users of files need not wait for. */
async function openS3Store(url: string, options: OpenStoreOptions): Promise<ObjectStore> {
  const [{ s3AddressFrom }, { S3Store }] = await Promise.all([import('./s3/client.ts'), import('./s3/s3-store.ts')]);
  const store = new S3Store(s3AddressFrom(url), options.s3);
  if (options.access === 'write') await store.checkConditionalWrites();
  return store;
}

/** The rest of `file:PATH` as it stands, or the path of a proper URL `file:///PATH`. */
function pathFromUrl(url: string): string {
  const path = url.startsWith('file://') ? pathFromProperUrl(url) : url.slice('file:'.length);
  if (path.trim() === '' || path.includes('\0')) throw notAStore(url, 'the path is missing');
  if (path.startsWith('~')) throw notAStore(url, '~ has no meaning here, write the path out');
  return path;
}

function pathFromProperUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    throw notAStore(url, messageFromError(error));
  }
}

function notAStore(url: string, why: string): AppError {
  const message = `not the address of a store: '${shownAddress(url)}': ${why}; for example file:./data/store or s3://bucket/prefix`;
  return new AppError('configuration', message);
}
