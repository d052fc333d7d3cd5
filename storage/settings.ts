import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { Milliseconds, setting, wholeNumber } from '../runtime/setting.ts';

export const DUCKDB_SETTINGS = {
  memoryLimit: setting(
    'MEMORY_LIMIT',
    z.string().regex(/^\d+(\.\d+)?\s?[KMGT]i?B$/, 'must be a size such as 1GB or 512MiB'),
    {
      fallback: '1GB',
      text: "DuckDB's memory; beyond it DuckDB spills to the work folder, or that of the view. The process of a `source.sql` gets 1 GiB more and is killed beyond that (on Linux)",
    },
  ),
  threads: setting('THREADS', wholeNumber(1, 256), {
    fallback: availableParallelism(),
    text: "DuckDB's threads",
    documented: 'all cores',
  }),
};

export const S3_SETTINGS = {
  endpoint: setting(
    'S3_ENDPOINT',
    z
      .url()
      .refine((url) => URL.canParse(url) && !/^[^/]*\/\/[^/]*@/.test(url), 'must not contain a user or password')
      .optional(),
    {
      text: "address of an S3 server other than Amazon's, such as `http://127.0.0.1:9000`",
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
      text: 'address by which callers reach the S3 server, if it differs, such as `https://data.example.com`. Signed downloads begin with it, and with the bucket as `MODELSTATS_S3_FORCE_PATH_STYLE` says. A proxy there must pass path and Host header on',
      documented: '`MODELSTATS_S3_ENDPOINT`',
    },
  ),
  region: setting('S3_REGION', z.string().min(1).optional(), {
    text: 'region',
    documented: "the AWS SDK's; `us-east-1` with an endpoint",
  }),
  forcePathStyle: setting('S3_FORCE_PATH_STYLE', z.stringbool().optional(), {
    text: '`true`: the bucket is in the path, not in the host name',
    documented: '`true` with an endpoint',
  }),
  attemptsMax: setting('S3_ATTEMPTS_MAX', wholeNumber(1, 20), {
    fallback: 8,
    text: 'attempts of one request, the first included',
  }),
  connectTimeoutMs: setting('S3_CONNECT_TIMEOUT_MS', Milliseconds, {
    fallback: 5_000,
    text: 'longest time to connect',
  }),
  requestTimeoutMs: setting('S3_REQUEST_TIMEOUT_MS', Milliseconds, {
    fallback: 300_000,
    text: "longest time from a request's start, upload included, to the head of its response",
  }),
  idleTimeoutMs: setting('S3_IDLE_TIMEOUT_MS', Milliseconds, {
    fallback: 60_000,
    text: 'longest time without data on a connection',
  }),
};

export const UPLOAD_SETTINGS = {
  uploadsMax: setting('UPLOADS_MAX', wholeNumber(1, 64), { fallback: 4, text: 'files uploaded at once' }),
};
