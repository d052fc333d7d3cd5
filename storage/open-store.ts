import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, messageFromError } from '../runtime/errors.ts';
import { shownAddress } from '../runtime/shown-address.ts';
import { FileStore, type FileStoreOptions } from './file/file-store.ts';
import type { ObjectStore } from './object-store.ts';
import type { S3StoreOptions } from './s3/s3-store.ts';

export interface OpenStoreOptions {
  /** Default: `read`. For `write`, a store proves its conditional writes where they are in doubt. */
  readonly access?: 'read' | 'write';
  readonly file?: Omit<FileStoreOptions, 'url'>;
  readonly s3?: S3StoreOptions;
}

/**
 * Opens `file:PATH`, absolute or relative to the working folder, or `s3://bucket/prefix` (specification "The store").
 * Rejects with `configuration` for another address or a store that can't be written to safely.
 */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<ObjectStore> {
  if (url.startsWith('file:')) return new FileStore(pathFromUrl(url), { ...options.file, url });
  if (url.startsWith('s3://')) return openS3Store(url, options);
  throw notAStore(url, 'it must begin with file: or s3://');
}

/** The folder of a file store; undefined for other stores. Throws like {@link openStore}. */
export function folderFromUrl(url: string): string | undefined {
  return url.startsWith('file:') ? resolve(pathFromUrl(url)) : undefined;
}

/** Loads the SDK only when needed. */
async function openS3Store(url: string, options: OpenStoreOptions): Promise<ObjectStore> {
  const [{ s3AddressFrom }, { S3Store }] = await Promise.all([import('./s3/client.ts'), import('./s3/s3-store.ts')]);
  const store = new S3Store(s3AddressFrom(url), options.s3);
  if (options.access === 'write') await store.checkConditionalWrites();
  return store;
}

/** The path of `file:PATH` or `file:///PATH`. */
function pathFromUrl(url: string): string {
  const path = url.startsWith('file://') ? pathFromProperUrl(url) : url.slice('file:'.length);
  if (path.trim() === '' || path.includes('\0')) throw notAStore(url, 'the path is missing');
  if (path.startsWith('~')) throw notAStore(url, '~ is not expanded; write the full path');
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
  const message = `'${shownAddress(url)}' is not the address of a store: ${why}. Examples: file:./data/store or s3://bucket/prefix`;
  return new AppError('configuration', message);
}
