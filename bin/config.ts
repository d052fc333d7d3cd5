import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { AppError } from '../schemas/errors.ts';

const PREFIX = 'MODELSTATS_';
const Milliseconds = wholeNumber(1, 86_400_000);
const Bytes = wholeNumber(1, Number.MAX_SAFE_INTEGER);

function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number(message).int(message).min(min, message).max(max, message);
}

/**
 * Everything that can be configured, as environment variables `MODELSTATS_<NAME>`. Each has a section in
 * docs/configuration.md; a test holds the two together.
 */
export const ConfigSchema = z.strictObject({
  STORE: z.string().default('file:./data/store').describe('Where releases lie: file:PATH or s3://bucket/prefix'),
  WORK: z.string().min(1).default('./data/work').describe('Folder for runs, their reports and temporary files'),
  SOURCE: z.string().min(1).optional().describe('Folder with the raw data, when --source is not given'),
  MEMORY_LIMIT: z
    .string()
    .regex(/^\d+(\.\d+)?\s?[KMGT]i?B$/, 'must be a size such as 1GB or 512MiB')
    .default('1GB')
    .describe("DuckDB's memory, beyond which it spills to the work folder"),
  THREADS: wholeNumber(1, 256).default(availableParallelism()).describe("DuckDB's threads"),
  LINE_BYTES_MAX: Bytes.default(4 * 1024 * 1024).describe('Longest line of a source file, in bytes'),
  FILE_BYTES_MAX: Bytes.default(64 * 1024 * 1024 * 1024).describe('Largest source file after unpacking, in bytes'),
  S3_ENDPOINT: z.url().optional().describe("Address of an S3 server that is not Amazon's"),
  S3_REGION: z.string().min(1).optional().describe("Region, when not the AWS SDK's own"),
  S3_FORCE_PATH_STYLE: z.stringbool().optional().describe('Whether the bucket goes into the path'),
  S3_ATTEMPTS_MAX: wholeNumber(1, 20).default(8).describe('Tries of one request'),
  S3_CONNECT_TIMEOUT_MS: Milliseconds.default(5_000).describe('For a connection to be established'),
  S3_REQUEST_TIMEOUT_MS: Milliseconds.default(300_000).describe("From a request's start to the head of its answer"),
  S3_IDLE_TIMEOUT_MS: Milliseconds.default(60_000).describe('For a connection on which nothing moves'),
  UPLOADS_MAX: wholeNumber(1, 64).default(4).describe('Files uploaded at once'),
});
export type Config = z.infer<typeof ConfigSchema>;

/** Reads the configuration; throws `configuration` with every wrong or unknown `MODELSTATS_*` at once. */
export function configFromEnv(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.entries(env)
    .filter(([name, value]) => name.startsWith(PREFIX) && value !== undefined && value !== '')
    .map(([name, value]) => [name.slice(PREFIX.length), value]);
  const result = ConfigSchema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${PREFIX}${key} is not a setting`)
      : [`${PREFIX}${issue.path.join('.')}: ${issue.message}`],
  );
  throw new AppError('configuration', problems.join('\n'));
}
