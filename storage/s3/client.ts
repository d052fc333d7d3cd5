import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import { shownAddress } from '../../runtime/shown-address.ts';
import { isKey } from '../object-store.ts';

/** How to reach an S3 store. What is left out, the AWS SDK takes from its usual places: AWS_*, profiles, instance roles. */
export interface S3ClientOptions {
  /** Default: the SDK's; `us-east-1` with an endpoint of one's own, most of which don't care. */
  readonly region?: string | undefined;
  /** A URL, for stores that are not Amazon's. */
  readonly endpoint?: string | undefined;
  /** The URL by which those who download reach the same store, where it is another one; signed addresses begin with it. */
  readonly publicEndpoint?: string | undefined;
  /** Fixed credentials, or a function that gives them. */
  readonly credentials?: NonNullable<S3ClientConfig['credentials']>;
  /** Whether the bucket goes into the path, not the host name. Default: yes with an endpoint of one's own. */
  readonly forcePathStyle?: boolean | undefined;
  /**
   * When the SDK adds checksums of its own accord and checks those of answers. Default: `WHEN_REQUIRED` with an endpoint of
   * one's own, because many stores don't know the newer ones. Uploads carry a SHA-256 in any case.
   */
  readonly checksums?: 'WHEN_REQUIRED' | 'WHEN_SUPPORTED';
  /** Tries of one request, the first included; between them the SDK waits 0.1 s, doubled each time, times chance. */
  readonly attemptsMax?: number;
  /** For a connection to be established, in milliseconds. */
  readonly connectTimeoutMs?: number;
  /** From a request's start, upload included, to the head of its answer, in milliseconds. */
  readonly requestTimeoutMs?: number;
  /** For a connection on which nothing moves, in milliseconds. */
  readonly idleTimeoutMs?: number;
}

/** More: a night holds out longer, some 10 s on average with 8. Less: a short fault of the store ends it. */
export const ATTEMPTS_MAX = 8;

/** A store that needs longer is as good as unreachable, and a name with several addresses tries the next. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Must be enough for one part of an upload on a slow line: 8 MB in 300 s are 28 kB/s. */
const REQUEST_TIMEOUT_MS = 300_000;

/** Less than the minutes after which routers forget a silent connection; more than a busy store takes to answer. */
const IDLE_TIMEOUT_MS = 60_000;

/** A client of the SDK. Throws `configuration` where the endpoint is no URL. */
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
 * The client that signs addresses: with the region and the credentials of the one that talks to the store, for another host. A
 * signature holds for the host that is asked, so whatever stands before the store has to pass the Host header and the path on.
 * Throws `configuration` where the public endpoint is no URL.
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
    throw new AppError('configuration', `the S3 endpoint is no URL: '${endpoint}' (${messageFromError(cause)})`, {
      cause,
    });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new AppError('configuration', `the S3 endpoint must begin with http:// or https://, not '${url.protocol}'`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new AppError(
      'configuration',
      'the S3 endpoint must not hold credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  }
  return endpoint;
}

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
