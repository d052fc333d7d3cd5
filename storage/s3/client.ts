import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import { shownAddress } from '../../runtime/shown-address.ts';
import { isKey } from '../object-store.ts';

/** Where an option is missing, the AWS SDK uses its own sources: AWS_*, profiles, instance roles. */
export interface S3ClientOptions {
  /** Default: the SDK's; with an endpoint `us-east-1`. */
  readonly region?: string | undefined;
  /** For stores that aren't Amazon's. */
  readonly endpoint?: string | undefined;
  /** Origin of signed URLs, if callers reach the store by another one. */
  readonly publicEndpoint?: string | undefined;
  readonly credentials?: NonNullable<S3ClientConfig['credentials']>;
  /** Bucket in the path instead of the host name. Default: true with an endpoint. */
  readonly forcePathStyle?: boolean | undefined;
  /**
   * When the SDK adds checksums and verifies those of responses. Default: `WHEN_REQUIRED` with an endpoint, because
   * many stores lack the newer ones. Uploads always carry a SHA-256.
   */
  readonly checksums?: 'WHEN_REQUIRED' | 'WHEN_SUPPORTED';
  /** Per request, the first included; the delay starts at 0.1 s and doubles, with jitter. */
  readonly attemptsMax?: number;
  readonly connectTimeoutMs?: number;
  /** From the start, upload included, to the response headers. */
  readonly requestTimeoutMs?: number;
  /** For a connection without traffic. */
  readonly idleTimeoutMs?: number;
}

/** More: a night survives longer faults, some 10 s with 8. Fewer: a short fault ends it. */
export const ATTEMPTS_MAX = 8;

/** A store that needs longer is unreachable; a name with several addresses tries the next. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Must suffice for a part of an upload on a slow line: 8 MB in 300 s are 28 kB/s. */
const REQUEST_TIMEOUT_MS = 300_000;

/** Less than routers keep a silent connection; more than a busy store needs to respond. */
const IDLE_TIMEOUT_MS = 60_000;

/** Throws `configuration` for an invalid endpoint. */
export function s3ClientFrom(options: S3ClientOptions): S3Client {
  const hasEndpoint = options.endpoint !== undefined;
  const checksums = options.checksums ?? (hasEndpoint ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED');
  return new S3Client({
    ...regionAndEndpoint(options),
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
    forcePathStyle: options.forcePathStyle ?? hasEndpoint,
    requestChecksumCalculation: checksums,
    responseChecksumValidation: checksums,
    retryMode: 'standard',
    maxAttempts: options.attemptsMax ?? ATTEMPTS_MAX,
    requestHandler: {
      connectionTimeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      socketTimeout: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
    },
  });
}

/**
 * Signs URLs for the public endpoint with the client's region and credentials. A signature covers the host, so a proxy
 * must pass on the Host header and the path. Throws `configuration` for an invalid endpoint.
 */
export function signerFrom(client: S3Client, options: S3ClientOptions): S3Client {
  const { publicEndpoint: endpoint } = options;
  if (endpoint === undefined) return client;
  const forcePathStyle = options.forcePathStyle ?? true;
  const { region, credentials, requestChecksumCalculation, responseChecksumValidation } = client.config;
  const shared = { region, credentials, requestChecksumCalculation, responseChecksumValidation };
  return new S3Client({ ...shared, endpoint: checkedEndpoint(endpoint), forcePathStyle });
}

function regionAndEndpoint({ region, endpoint }: S3ClientOptions): Pick<S3ClientConfig, 'region' | 'endpoint'> {
  if (endpoint === undefined) return region === undefined ? {} : { region };
  return { region: region ?? 'us-east-1', endpoint: checkedEndpoint(endpoint) };
}

function checkedEndpoint(endpoint: string): string {
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch (cause) {
    throw new AppError('configuration', `the S3 endpoint is not a URL: '${endpoint}' (${messageFromError(cause)})`, {
      cause,
    });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new AppError('configuration', `the S3 endpoint must begin with http:// or https://, not '${url.protocol}'`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new AppError(
      'configuration',
      'the S3 endpoint must not contain credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  }
  return endpoint;
}

export interface S3Address {
  /** As the operator wrote it. */
  readonly url: string;
  readonly bucket: string;
  /** Empty, or a path ending in `/`. */
  readonly prefix: string;
}

export interface S3Place extends S3Address {
  readonly endpoint: string;
}

export function objectAt(place: S3Place, key: string): { Bucket: string; Key: string } {
  return { Bucket: place.bucket, Key: place.prefix + key };
}

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/;

/** Parses `s3://bucket/prefix`; throws `configuration`, without repeating possible secrets. */
export function s3AddressFrom(url: string): S3Address {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]*)\/?(.*?)\/?$/s.exec(url) ?? [];
  if (bucket.includes('@')) {
    throw new AppError('configuration', 'the address of a store must not contain credentials: use s3://bucket/prefix');
  }
  if (!BUCKET.test(bucket)) throw notAnAddress(url, 'the name of the bucket is missing or invalid');
  if (path !== '' && !isKey(path)) {
    throw notAnAddress(url, 'a prefix has letters, digits and . _ - between slashes, and no part starts with a dot');
  }
  return { url, bucket, prefix: path === '' ? '' : `${path}/` };
}

function notAnAddress(url: string, why: string): AppError {
  return new AppError(
    'configuration',
    `'${shownAddress(url)}' is not the address of a store: ${why}. Example: s3://bucket/prefix`,
  );
}
