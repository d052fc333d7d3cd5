import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { Milliseconds, setting, wholeNumber } from '../runtime/setting.ts';

/** Of every DuckDB that is opened. */
export const DUCKDB_SETTINGS = {
  memoryLimit: setting(
    'MEMORY_LIMIT',
    z.string().regex(/^\d+(\.\d+)?\s?[KMGT]i?B$/, 'must be a size such as 1GB or 512MiB'),
    {
      fallback: '1GB',
      text: "DuckDB's memory, beyond which it spills to the work folder; the process of a `source.sql` has as much, and 1 GiB besides, and is killed beyond that (on Linux)",
    },
  ),
  threads: setting('THREADS', wholeNumber(1, 256), {
    fallback: availableParallelism(),
    text: "DuckDB's threads",
    documented: 'all cores',
  }),
};

/** Of stores in S3 buckets. */
export const S3_SETTINGS = {
  endpoint: setting(
    'S3_ENDPOINT',
    z
      .url()
      .refine((url) => URL.canParse(url) && !/^[^/]*\/\/[^/]*@/.test(url), 'must hold no user and no password')
      .optional(),
    {
      text: "address of an S3 server that is not Amazon's, such as `http://127.0.0.1:9000`",
      documented: "`AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, else Amazon's",
      shown: 'address',
    },
  ),
  publicEndpoint: setting(
    'S3_PUBLIC_ENDPOINT',
    z
      .url()
      .refine((url) => /^https?:\/\/[^/?#@\\]+\/?$/i.test(url), 'must be http(s)://host[:port] and nothing else')
      .optional(),
    {
      text: 'address by which callers reach the S3 server, where it is another one, such as `https://data.example.com`: signed downloads begin with it, with the bucket where `S3_FORCE_PATH_STYLE` says. What stands there has to pass the path and the Host header on',
      documented: '`S3_ENDPOINT`',
    },
  ),
  region: setting('S3_REGION', z.string().min(1).optional(), {
    text: 'region',
    documented: "the AWS SDK's; `us-east-1` with an endpoint",
  }),
  forcePathStyle: setting('S3_FORCE_PATH_STYLE', z.stringbool().optional(), {
    text: 'whether the bucket goes into the path, not the host name',
    documented: '`true` with an endpoint',
  }),
  attemptsMax: setting('S3_ATTEMPTS_MAX', wholeNumber(1, 20), {
    fallback: 8,
    text: 'tries of one request, the first included',
  }),
  connectTimeoutMs: setting('S3_CONNECT_TIMEOUT_MS', Milliseconds, {
    fallback: 5_000,
    text: 'for a connection to be established, in milliseconds',
  }),
  requestTimeoutMs: setting('S3_REQUEST_TIMEOUT_MS', Milliseconds, {
    fallback: 300_000,
    text: "from a request's start, upload included, to the head of its answer, in milliseconds",
  }),
  idleTimeoutMs: setting('S3_IDLE_TIMEOUT_MS', Milliseconds, {
    fallback: 60_000,
    text: 'for a connection on which nothing moves, in milliseconds',
  }),
};

/** Of all that writes to a store. */
export const UPLOAD_SETTINGS = {
  uploadsMax: setting('UPLOADS_MAX', wholeNumber(1, 64), { fallback: 4, text: 'files uploaded at once' }),
};
