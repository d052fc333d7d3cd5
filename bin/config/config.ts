import { z } from 'zod';
import {
  BURST_SETTINGS,
  CREDENTIAL_SETTINGS,
  ENFORCEMENT_SETTINGS,
  MAIL_SETTINGS,
  PEOPLE_LIMIT_SETTINGS,
  PEOPLE_SETTINGS,
  TOKEN_SETTINGS,
  USAGE_SETTINGS,
} from '../../api/accounts/settings.ts';
import { CONSOLE_SETTINGS } from '../../api/console/console-deps.ts';
import {
  ADDRESS_SETTINGS,
  ATTEMPT_SETTINGS,
  BACKSTOP_SETTINGS,
  CAPABILITY_SETTINGS,
  FILE_SETTINGS,
  PUBLIC_SETTINGS,
  QUERY_SETTINGS,
  RESPONSE_SETTINGS,
  VIEW_SETTINGS,
} from '../../api/data/settings.ts';
import { DATABASE_SETTINGS } from '../../api/database/settings.ts';
import { CONNECTION_SETTINGS, METRICS_SETTINGS, OUTBOUND_SETTINGS } from '../../api/server/settings.ts';
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
import type { OptionsFrom, Setting, Settings } from '../../runtime/setting.ts';
import { DUCKDB_SETTINGS, S3_SETTINGS, UPLOAD_SETTINGS } from '../../storage/settings.ts';
import { PLACE_SETTINGS, PROCESS_SETTINGS, SERVE_SETTINGS } from './own-settings.ts';

/** What the name of every setting begins with in the environment. */
export const PREFIX = 'MODELSTATS_';

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

/** The settings in the groups that factories take. Wrong ones are reported in this order. */
const GROUPS = { ...NIGHTS, ...API, ...WEBHOOKS, ...ACCOUNTS, ...PEOPLE, ...OUTBOUND, ...SYNC };

/** The sections of `config show` and docs/configuration.md. */
export const SETTING_SECTIONS: readonly { readonly title: string; readonly settings: readonly Setting[] }[] = [
  { title: 'Nights and the store', settings: settingsOf(NIGHTS) },
  { title: 'Organizations, keys and limits', settings: settingsOf(ACCOUNTS) },
  { title: 'Sync', settings: settingsOf(SYNC) },
  { title: 'Webhooks and mail', settings: settingsOf(WEBHOOKS) },
  { title: 'People', settings: settingsOf(PEOPLE) },
  { title: 'The API', settings: settingsOf(API) },
  { title: "Requests to customers' addresses", settings: settingsOf(OUTBOUND) },
];

/** Everything that can be configured, as environment variables `MODELSTATS_<NAME>`; in groups, as the factories take it. */
export type Config = { readonly [G in keyof typeof GROUPS]: OptionsFrom<(typeof GROUPS)[G]> };
type SettingIn<S> = S extends Setting<infer N, unknown> ? N : never;
/** The name of a setting, without {@link PREFIX}. */
export type SettingName = {
  [G in keyof typeof GROUPS]: SettingIn<(typeof GROUPS)[G][keyof (typeof GROUPS)[G]]>;
}[keyof typeof GROUPS];
/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

const ConfigSchema = z.strictObject(Object.fromEntries(settingsOf(GROUPS).map(({ name, schema }) => [name, schema])));

/** Reads the configuration; throws `configuration` with every wrong or unknown `MODELSTATS_*` at once. */
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

/** The values of settings, by the names of the factories' options. */
function inGroups(values: Readonly<Record<string, unknown>>): Config {
  const optionsOf = (group: Settings) =>
    Object.fromEntries(Object.entries(group).map(([option, { name }]) => [option, values[name]]));
  // Each value is what the schema of its setting has made.
  return Object.fromEntries(Object.entries(GROUPS).map(([name, group]) => [name, optionsOf(group)])) as Config;
}

function settingsOf(groups: Readonly<Record<string, Settings>>): readonly Setting[] {
  return Object.values(groups).flatMap((group) => Object.values(group));
}

/** The variable of the AWS tools that names the S3 server, where ours doesn't; undefined where none does. */
export function usualEndpoint(env: Environment): string | undefined {
  const name = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'].find((variable) => env[variable] !== undefined);
  return name === undefined || env[name] === '' ? undefined : name;
}
