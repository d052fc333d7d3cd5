import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { findCronProblem } from '../../pipeline/schedule/cron.ts';
import { TIME_OF_DAY } from '../../pipeline/schedule/run-day.ts';
import { AppError } from '../../runtime/errors.ts';
import { RETENTION } from '../../schemas/retention.ts';
import { ACCOUNTS_SETTINGS } from './settings/accounts-settings.ts';
import { API_SETTINGS } from './settings/api-settings.ts';
import { CLIENT_SETTINGS } from './settings/client-settings.ts';
import { FETCH_SETTINGS } from './settings/fetch-settings.ts';
import { NOTICE_SETTINGS } from './settings/notice-settings.ts';
import { OUTBOUND_SETTINGS } from './settings/outbound-settings.ts';
import { PEOPLE_SETTINGS } from './settings/people-settings.ts';
import { Bytes, Kept, Milliseconds, Seconds, wholeNumber } from './settings/setting-kinds.ts';
import { WEBHOOKS_SETTINGS } from './settings/webhooks-settings.ts';

/** What the name of every setting begins with in the environment. */
export const PREFIX = 'MODELSTATS_';
const Cron = z.string().superRefine((expression, context) => {
  const message = findCronProblem(expression);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

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
  ROWS_MAX: wholeNumber(1, 1e9).default(50_000_000).describe('Most rows of a dataset in a source'),
  RATIO_MAX: wholeNumber(1, 1_000_000)
    .default(200)
    .describe('How many times its own size a source file may become, unpacked or read; free up to 64 MiB'),
  SOURCE_SQL_TIMEOUT_SECONDS: Seconds.default(600).describe('Longest time for one SELECT of source.sql'),
  CRON: Cron.default('5 0 * * *').describe('When `schedule` begins a night, as a cron expression in UTC'),
  RETRY_FIRST_SECONDS: Seconds.default(60).describe(
    'Longest wait before a failed night is tried again; doubles each time',
  ),
  RETRY_MAX_SECONDS: Seconds.default(1800).describe('Longest wait between two attempts at a night'),
  RETRY_UNTIL: z
    .string()
    .regex(TIME_OF_DAY, 'must be a time of day HH:MM, up to 24:00')
    .default('12:00')
    .describe("Time of the UTC day from which on that day's night is neither tried again nor caught up"),
  NIGHT_TIMEOUT_SECONDS: Seconds.default(21_600).describe('Longest run of a scheduled night; it is killed then'),
  STOP_TIMEOUT_SECONDS: Seconds.default(25).describe(
    'How long what runs may go on when it is stopped: a night, requests; less than the 30 s after which Kubernetes kills',
  ),
  HEALTH_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('JSON file that `schedule` keeps its health in, for `schedule --check`'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least weight of the log lines on stderr'),
  S3_ENDPOINT: z
    .url()
    .refine((url) => URL.canParse(url) && !/^[^/]*\/\/[^/]*@/.test(url), 'must hold no user and no password')
    .optional()
    .describe("Address of an S3 server that is not Amazon's"),
  S3_PUBLIC_ENDPOINT: z
    .url()
    .refine((url) => /^https?:\/\/[^/?#@\\]+\/?$/i.test(url), 'must be http(s)://host[:port] and nothing else')
    .optional()
    .describe('Address by which callers reach the S3 server, for signed downloads'),
  S3_REGION: z.string().min(1).optional().describe("Region, when not the AWS SDK's own"),
  S3_FORCE_PATH_STYLE: z.stringbool().optional().describe('Whether the bucket goes into the path'),
  S3_ATTEMPTS_MAX: wholeNumber(1, 20).default(8).describe('Tries of one request'),
  S3_CONNECT_TIMEOUT_MS: Milliseconds.default(5_000).describe('For a connection to be established'),
  S3_REQUEST_TIMEOUT_MS: Milliseconds.default(300_000).describe("From a request's start to the head of its answer"),
  S3_IDLE_TIMEOUT_MS: Milliseconds.default(60_000).describe('For a connection on which nothing moves'),
  RETENTION_CHANGES_MONTHS: Kept.default(RETENTION.changesMonths).describe(
    'Calendar months of changes that prune keeps',
  ),
  RETENTION_SNAPSHOTS: Kept.default(RETENTION.snapshots).describe(
    'Newest snapshots that prune keeps beside month-ends',
  ),
  RETENTION_STATES: Kept.default(RETENTION.states).describe('Newest states that prune keeps'),
  UPLOADS_MAX: wholeNumber(1, 64).default(4).describe('Files uploaded at once'),
  ...NOTICE_SETTINGS,
  ...FETCH_SETTINGS,
  ...API_SETTINGS,
  ...WEBHOOKS_SETTINGS,
  ...ACCOUNTS_SETTINGS,
  ...PEOPLE_SETTINGS,
  ...OUTBOUND_SETTINGS,
  ...CLIENT_SETTINGS,
});
export type Config = z.infer<typeof ConfigSchema>;
/** The name of a setting, without {@link PREFIX}. */
export type SettingName = keyof Config;
/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the configuration; throws `configuration` with every wrong or unknown `MODELSTATS_*` at once. */
export function configFromEnv(env: Environment): Config {
  const given = Object.entries(env)
    .filter(([name, value]) => name.startsWith(PREFIX) && value !== undefined && value !== '')
    .map(([name, value]) => [name.slice(PREFIX.length), value]);
  const endpoint = usualEndpoint(env);
  const usual = endpoint === undefined ? {} : { S3_ENDPOINT: env[endpoint] };
  const result = ConfigSchema.safeParse({ ...usual, ...Object.fromEntries(given) });
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${PREFIX}${key} is not a setting`)
      : [`${PREFIX}${issue.path.join('.')}: ${issue.message}`],
  );
  throw new AppError('configuration', problems.join('\n'));
}

/** The variable of the AWS tools that names the S3 server, where ours doesn't; undefined where none does. */
export function usualEndpoint(env: Environment): string | undefined {
  const name = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'].find((variable) => env[variable] !== undefined);
  return name === undefined || env[name] === '' ? undefined : name;
}
