import { z } from 'zod';
import { USAGE_SETTINGS } from '../../api/accounts/request-counts/usage-settings.ts';
import {
  BURST_SETTINGS,
  CREDENTIAL_SETTINGS,
  ENFORCEMENT_SETTINGS,
  MAIL_SETTINGS,
  PEOPLE_LIMIT_SETTINGS,
  PEOPLE_SETTINGS,
  TOKEN_SETTINGS,
} from '../../api/accounts/settings.ts';
import { CONSOLE_SETTINGS } from '../../api/console/console-deps.ts';
import {
  ADDRESS_SETTINGS,
  ATTEMPT_SETTINGS,
  BACKSTOP_SETTINGS,
  CAPABILITY_SETTINGS,
  FILE_SETTINGS,
  PUBLIC_SETTINGS,
  RESPONSE_SETTINGS,
} from '../../api/data/settings.ts';
import { DATABASE_SETTINGS } from '../../api/database/settings.ts';
import { DIGEST_SETTINGS } from '../../api/digests/settings.ts';
import { CONNECTION_SETTINGS, METRICS_SETTINGS, OUTBOUND_SETTINGS } from '../../api/server/settings.ts';
import { QUERY_SETTINGS, VIEW_SETTINGS } from '../../api/view/settings.ts';
import { SECRET_SETTINGS, WEBHOOK_SETTINGS } from '../../api/webhooks/delivery/dispatcher-options.ts';
import { CLIENT_SETTINGS } from '../../client/settings.ts';
import {
  FETCH_SETTINGS,
  NOTICE_SETTINGS,
  RETENTION_SETTINGS,
  RETRY_SETTINGS,
  SCHEDULE_SETTINGS,
  SOURCE_SETTINGS,
} from '../../pipeline/settings.ts';
import { AppError } from '../../runtime/errors.ts';
import {
  inUnits,
  type OptionsFrom,
  Seconds,
  type Setting,
  type Settings,
  setting,
  wholeNumber,
} from '../../runtime/setting.ts';
import { DUCKDB_SETTINGS, S3_SETTINGS, UPLOAD_SETTINGS } from '../../storage/settings.ts';

export const PREFIX = 'MODELSTATS_';

const PLACE_SETTINGS = {
  store: setting('STORE', z.string(), {
    fallback: 'file:./data/store',
    text: 'where releases are stored: `file:PATH` or `s3://bucket/prefix`',
    shown: 'address',
  }),
  work: setting('WORK', z.string().min(1), {
    fallback: './data/work',
    text: 'folder for runs, their reports and temporary files',
  }),
  source: setting('SOURCE', z.string().min(1).optional(), {
    text: 'folder with the raw data, unless `--source` is given',
  }),
};

/** Of commands that keep running. */
const PROCESS_SETTINGS = {
  nightTimeoutMs: setting('NIGHT_TIMEOUT_SECONDS', inUnits(Seconds, 1000), {
    fallback: 21_600,
    text: 'longest scheduled night; then it is killed and retried',
  }),
  stopTimeoutMs: setting('STOP_TIMEOUT_SECONDS', inUnits(Seconds, 1000), {
    fallback: 25,
    text: 'how long a running night and running requests may continue after a stop; less than your platform grants (Kubernetes 30 s; Docker 10 s: set it lower there, or raise its limit)',
  }),
  healthFile: setting('HEALTH_FILE', z.string().min(1).optional(), {
    text: "JSON file with the scheduler's health, for `schedule --check`, on storage that survives a restart",
  }),
  logLevel: setting('LOG_LEVEL', z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), {
    fallback: 'info',
    text: 'lowest level of the log on stderr: `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`',
  }),
};

const SERVE_SETTINGS = {
  host: setting('HOST', z.string().min(1), {
    fallback: '127.0.0.1',
    text: 'address that `serve` listens on; `0.0.0.0` for all',
  }),
  port: setting('PORT', wholeNumber(0, 65_535), {
    fallback: 8080,
    text: 'port that `serve` listens on; 0 for any free one, which it prints',
  }),
  drainMs: setting('DRAIN_SECONDS', inUnits(z.coerce.number().min(0).max(3_600), 1000), {
    fallback: 0,
    text: 'how long a stopped `serve` still responds to requests while `/health/ready` is 503: a little longer than the load balancer needs to notice, and less than `MODELSTATS_STOP_TIMEOUT_SECONDS`, of which it is a part',
  }),
};

const NIGHTS = {
  places: PLACE_SETTINGS,
  duckdb: DUCKDB_SETTINGS,
  source: SOURCE_SETTINGS,
  schedule: SCHEDULE_SETTINGS,
  retry: RETRY_SETTINGS,
  process: PROCESS_SETTINGS,
  s3: S3_SETTINGS,
  retention: RETENTION_SETTINGS,
  uploads: UPLOAD_SETTINGS,
  notices: NOTICE_SETTINGS,
  fetch: FETCH_SETTINGS,
};

const ACCOUNTS = {
  database: DATABASE_SETTINGS,
  burst: BURST_SETTINGS,
  enforcement: ENFORCEMENT_SETTINGS,
  backstop: BACKSTOP_SETTINGS,
  credentials: CREDENTIAL_SETTINGS,
  usage: USAGE_SETTINGS,
};

const SYNC = {
  client: CLIENT_SETTINGS,
};

const WEBHOOKS = {
  secrets: SECRET_SETTINGS,
  webhooks: WEBHOOK_SETTINGS,
  mail: MAIL_SETTINGS,
  digests: DIGEST_SETTINGS,
};

const PEOPLE = {
  people: PEOPLE_SETTINGS,
  peopleLimits: PEOPLE_LIMIT_SETTINGS,
  tokens: TOKEN_SETTINGS,
};

const API = {
  serve: SERVE_SETTINGS,
  address: ADDRESS_SETTINGS,
  view: VIEW_SETTINGS,
  queries: QUERY_SETTINGS,
  responses: RESPONSE_SETTINGS,
  connections: CONNECTION_SETTINGS,
  attempts: ATTEMPT_SETTINGS,
  public: PUBLIC_SETTINGS,
  capabilities: CAPABILITY_SETTINGS,
  files: FILE_SETTINGS,
  metrics: METRICS_SETTINGS,
  console: CONSOLE_SETTINGS,
};

const OUTBOUND = {
  outbound: OUTBOUND_SETTINGS,
};

/** By the groups that factories take; errors are reported in this order. */
const GROUPS = { ...NIGHTS, ...API, ...WEBHOOKS, ...ACCOUNTS, ...PEOPLE, ...OUTBOUND, ...SYNC };

/** Of `config show` and docs/configuration.md. */
export const SETTING_SECTIONS: readonly { readonly title: string; readonly settings: readonly Setting[] }[] = [
  { title: 'Nights and the store', settings: settingsOf(NIGHTS) },
  { title: 'Organizations, keys and limits', settings: settingsOf(ACCOUNTS) },
  { title: 'Sync', settings: settingsOf(SYNC) },
  { title: 'Webhooks and mail', settings: settingsOf(WEBHOOKS) },
  { title: 'People', settings: settingsOf(PEOPLE) },
  { title: 'The API', settings: settingsOf(API) },
  { title: "Requests to customers' addresses", settings: settingsOf(OUTBOUND) },
];

/** All environment variables `MODELSTATS_<NAME>`, in the groups that factories take. */
export type Config = { readonly [G in keyof typeof GROUPS]: OptionsFrom<(typeof GROUPS)[G]> };
type SettingIn<S> = S extends Setting<infer N, unknown> ? N : never;
/** Without {@link PREFIX}. */
export type SettingName = {
  [G in keyof typeof GROUPS]: SettingIn<(typeof GROUPS)[G][keyof (typeof GROUPS)[G]]>;
}[keyof typeof GROUPS];
export type Environment = Readonly<Record<string, string | undefined>>;

const ConfigSchema = z.strictObject(Object.fromEntries(settingsOf(GROUPS).map(({ name, schema }) => [name, schema])));

/** Parses the configuration; throws `configuration` with all wrong and unknown `MODELSTATS_*`. */
export function configFromEnv(env: Environment): Config {
  const given = Object.entries(env)
    .filter(([name, value]) => name.startsWith(PREFIX) && value !== undefined && value !== '')
    .map(([name, value]) => [name.slice(PREFIX.length), value]);
  const endpoint = usualEndpoint(env);
  const usual = endpoint === undefined ? {} : { S3_ENDPOINT: env[endpoint] };
  const result = ConfigSchema.safeParse({ ...usual, ...Object.fromEntries(given) });
  if (result.success) return inGroups(result.data);
  const problems = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${PREFIX}${key} is not a setting`)
      : [`${PREFIX}${issue.path.join('.')}: ${issue.message}`],
  );
  throw new AppError('configuration', problems.join('\n'));
}

function inGroups(values: Readonly<Record<string, unknown>>): Config {
  const optionsOf = (group: Settings) =>
    Object.fromEntries(Object.entries(group).map(([option, { name }]) => [option, values[name]]));
  // Each value was parsed by the schema of its setting.
  return Object.fromEntries(Object.entries(GROUPS).map(([name, group]) => [name, optionsOf(group)])) as Config;
}

function settingsOf(groups: Readonly<Record<string, Settings>>): readonly Setting[] {
  return Object.values(groups).flatMap((group) => Object.values(group));
}

/** The AWS variable with the S3 server's URL, used unless ours is set. */
export function usualEndpoint(env: Environment): string | undefined {
  const name = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'].find((variable) => env[variable] !== undefined);
  return name === undefined || env[name] === '' ? undefined : name;
}
