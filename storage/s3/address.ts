import { AppError } from '../../runtime/errors.ts';
import { shownAddress } from '../../runtime/shown-address.ts';
import { isKey } from '../object-store.ts';

/** Where in which bucket a store is. */
export interface S3Address {
  /** As the operator wrote it. */
  readonly url: string;
  readonly bucket: string;
  /** What all names in the bucket begin with: the empty string, or a path with `/` at its end. */
  readonly prefix: string;
}

/** A store at a server. */
export interface S3Place extends S3Address {
  /** The server, for messages. */
  readonly endpoint: string;
}

/** An object as requests name it. */
export function objectAt(place: S3Place, key: string): { Bucket: string; Key: string } {
  return { Bucket: place.bucket, Key: place.prefix + key };
}

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/;

/** Reads `s3://bucket` or `s3://bucket/prefix`; throws `configuration`, and never repeats what may be a secret. */
export function s3AddressFrom(url: string): S3Address {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]*)\/?(.*?)\/?$/s.exec(url) ?? [];
  if (bucket.includes('@')) {
    throw new AppError('configuration', 'the address of a store must not hold credentials: s3://bucket/prefix is all');
  }
  if (!BUCKET.test(bucket)) throw notAnAddress(url, 'the name of the bucket is missing or none');
  if (path !== '' && !isKey(path)) {
    throw notAnAddress(
      url,
      'a prefix is made of letters, digits and . _ - between slashes, no part beginning with a dot',
    );
  }
  return { url, bucket, prefix: path === '' ? '' : `${path}/` };
}

function notAnAddress(url: string, why: string): AppError {
  return new AppError(
    'configuration',
    `not the address of a store: '${shownAddress(url)}': ${why}; for example s3://bucket/prefix`,
  );
}
