import { fileURLToPath } from 'node:url';
import { AppError, messageFromError } from '../schemas/errors.ts';
import type { FileStoreOptions } from './file-store.ts';
import { FileStore } from './file-store.ts';
import type { ObjectStore } from './object-store.ts';

export interface OpenStoreOptions {
  /** For `file:` stores. */
  readonly file?: Omit<FileStoreOptions, 'url'>;
}

/**
 * The store at an address (DESIGN §6): `file:PATH`, where the path may be relative to the working folder, or
 * `s3://bucket/prefix`. Rejects with `configuration` where the address is neither.
 */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<ObjectStore> {
  if (url.startsWith('file:')) return new FileStore(pathFromUrl(url), { ...options.file, url });
  throw notAStore(url, 'it must begin with file: or s3://');
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
  return new AppError('configuration', `not the address of a store: '${url}': ${why}; for example file:./data/store`);
}
