import { AppError, codeFromError, type ErrorCode, messageFromError } from '../../runtime/errors.ts';
import type { S3Place } from './client.ts';

type Explanation = readonly [code: ErrorCode, what: (place: S3Place) => string];

const BAD_CREDENTIALS: Explanation = [
  'configuration',
  ({ endpoint }) => `${endpoint} refuses these credentials: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
];
const NO_CREDENTIALS: Explanation = [
  'configuration',
  () => 'credentials are missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
];
const EXPIRED: Explanation = ['store_unavailable', () => 'the credentials have expired: renew them, then retry'];
const DENIED: Explanation = [
  'configuration',
  ({ bucket }) =>
    `the credentials lack a right: they need s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket on bucket ${bucket}`,
];
/** A response without a body doesn't say which. */
const REFUSED: Explanation = ['configuration', (place) => `${BAD_CREDENTIALS[1](place)}; or ${DENIED[1](place)}`];
const NO_BUCKET: Explanation = [
  'configuration',
  ({ bucket, endpoint }) => `${endpoint} has no bucket ${bucket}: create it, or correct the address of the store`,
];
const WRONG_REGION: Explanation = [
  'configuration',
  ({ bucket }) => `bucket ${bucket} is in another region: set AWS_REGION to the bucket's`,
];
const NO_REGION: Explanation = ['configuration', () => 'no region is set: set AWS_REGION to that of the bucket'];
const CLOCK: Explanation = [
  'store_unavailable',
  ({ endpoint }) => `the clock of this machine is too far from that of ${endpoint}: set it (NTP), then retry`,
];
const OVERLOADED: Explanation = [
  'store_unavailable',
  ({ endpoint }) => `${endpoint} is overloaded or limits requests, also after all retries: try again later`,
];
const UNREACHABLE: Explanation = [
  'store_unavailable',
  ({ endpoint }) => `${endpoint} can't be reached: check the endpoint, the network and that the store runs`,
];
const BROKEN: Explanation = [
  'store_unavailable',
  ({ endpoint }) => `the connection to ${endpoint} broke at every attempt: check the network and that the store runs`,
];
const SILENT: Explanation = [
  'store_unavailable',
  ({ endpoint }) => `${endpoint} did not respond in time: check the network and the load of the store`,
];
const NOT_IMPLEMENTED: Explanation = [
  'configuration',
  ({ endpoint }) => `${endpoint} doesn't support conditional writes and SHA-256 checksums, which are required`,
];
const FULL: Explanation = ['store_unavailable', ({ endpoint }) => `${endpoint} is full`];
const DAMAGED: Explanation = ['store_unavailable', () => 'the bytes were damaged in transit'];

/** By the error's name or system code. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  InvalidAccessKeyId: BAD_CREDENTIALS,
  SignatureDoesNotMatch: BAD_CREDENTIALS,
  InvalidToken: BAD_CREDENTIALS,
  CredentialsProviderError: NO_CREDENTIALS,
  ExpiredToken: EXPIRED,
  TokenRefreshRequired: EXPIRED,
  AccessDenied: DENIED,
  AllAccessDisabled: DENIED,
  NoSuchBucket: NO_BUCKET,
  PermanentRedirect: WRONG_REGION,
  AuthorizationHeaderMalformed: WRONG_REGION,
  IllegalLocationConstraintException: WRONG_REGION,
  RequestTimeTooSkewed: CLOCK,
  RequestExpired: CLOCK,
  RequestInTheFuture: CLOCK,
  SlowDown: OVERLOADED,
  ServiceUnavailable: OVERLOADED,
  XMinioStorageFull: FULL,
  QuotaExceeded: FULL,
  BadDigest: DAMAGED,
  XAmzContentChecksumMismatch: DAMAGED,
  XAmzContentSHA256Mismatch: DAMAGED,
  NotImplemented: NOT_IMPLEMENTED,
  TimeoutError: SILENT,
  RequestTimeout: SILENT,
  ETIMEDOUT: SILENT,
  ECONNREFUSED: UNREACHABLE,
  ECONNRESET: BROKEN,
  EPIPE: BROKEN,
  ENOTFOUND: UNREACHABLE,
  EAI_AGAIN: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
};

/** For responses without a body, such as those to HEAD. */
const EXPLANATIONS_BY_STATUS: Readonly<Record<number, Explanation>> = {
  301: WRONG_REGION,
  403: REFUSED,
  429: OVERLOADED,
  503: OVERLOADED,
  507: FULL,
};

/**
 * Maps an error of the SDK to one that names the store, the failure and a remedy.
 * @param doing what failed, for "cannot …"
 */
export function s3ErrorFrom(error: unknown, place: S3Place, doing: string): AppError {
  if (error instanceof AppError) return error;
  const { name, status } = factsOf(error);
  const [code, what] = explanationOf(error) ?? [
    'store_unavailable',
    () => `${place.endpoint} responded: ${messageFromError(error)}`,
  ];
  const facts = [name, status].filter((fact) => fact !== '').join(' ');
  return new AppError(code, `cannot ${doing} in the store ${place.url}: ${what(place)} (${facts})`, {
    cause: error,
    details: { store: place.url, bucket: place.bucket, endpoint: place.endpoint, error: name, status },
  });
}

function explanationOf(error: unknown): Explanation | undefined {
  const { name, code, status } = factsOf(error);
  if (error instanceof Error && error.message.startsWith('Region is missing')) return NO_REGION;
  return EXPLANATIONS[code] ?? EXPLANATIONS[name] ?? EXPLANATIONS_BY_STATUS[Number(status)];
}

/** Empty strings for missing facts. */
export function factsOf(error: unknown): { name: string; code: string; status: number | '' } {
  if (!(error instanceof Error)) return { name: '', code: '', status: '' };
  const code = codeFromError(error);
  // The SDK renames broken connections to TimeoutError; their code is right.
  const isUnnamed = error.name === 'Error' || error.name === 'TimeoutError';
  return { name: isUnnamed && code !== '' ? code : error.name, code, status: statusOf(error) };
}

function statusOf(error: Error): number | '' {
  if (!('$metadata' in error)) return '';
  const { httpStatusCode } = Object(error.$metadata) as { httpStatusCode?: unknown };
  return typeof httpStatusCode === 'number' ? httpStatusCode : '';
}
