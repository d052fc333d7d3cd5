import { shownTarget } from '../../../pipeline/notices/send-notice.ts';
import { shownAddress } from '../../../runtime/shown-address.ts';
import {
  type Config,
  ConfigSchema,
  type Environment,
  PREFIX,
  type SettingName,
  usualEndpoint,
} from '../../config/config.ts';
import { SETTING_GROUPS } from '../../config/setting-groups.ts';

/** A setting as it may be shown: nothing in it is a secret. */
export interface ShownSetting {
  /** The variable of the environment. */
  readonly name: string;
  /** The title of its section in docs/configuration.md. */
  readonly group: string;
  /** What is in force, as one would write it; null where nothing is. */
  readonly value: string | null;
  /** `environment`, `default`, or the other variable that it was taken from. */
  readonly source: string;
  readonly default: string | null;
}

/** What a secret is shown as. */
const MASK = '…';

/** Settings that are nothing but a secret. */
const SECRETS: ReadonlySet<SettingName> = new Set(['SECRET_KEYS', 'SIGNING_KEY', 'METRICS_TOKEN', 'API_KEY']);

/** Settings whose address may hold a password, or be mistaken for one. */
const ADDRESSES: ReadonlySet<SettingName> = new Set(['STORE', 'DATABASE', 'REDIS', 'SMTP', 'API_URL', 'S3_ENDPOINT']);

/** Every setting with its value in force, in the sections of docs/configuration.md. */
export function shownSettings(config: Config, env: Environment): readonly ShownSetting[] {
  const defaults = ConfigSchema.parse({});
  return SETTING_GROUPS.flatMap(({ title: group, names }) =>
    names.map((name) => {
      const source = sourceOf(name, { config, env });
      const given = source === 'default' ? textOf(config[name]) : env[variableOf(name, source)];
      return {
        name: `${PREFIX}${name}`,
        group,
        value: given === undefined ? null : masked(name, given, config),
        source,
        default: textOf(defaults[name]) ?? null,
      };
    }),
  );
}

function sourceOf(name: SettingName, { config, env }: { readonly config: Config; readonly env: Environment }): string {
  if (env[`${PREFIX}${name}`]) return 'environment';
  const usual = name === 'S3_ENDPOINT' && config.S3_ENDPOINT !== undefined ? usualEndpoint(env) : undefined;
  return usual ?? 'default';
}

function variableOf(name: SettingName, source: string): string {
  return source === 'environment' ? `${PREFIX}${name}` : source;
}

function masked(name: SettingName, value: string, { NOTIFY }: Pick<Config, 'NOTIFY'>): string {
  if (SECRETS.has(name)) return MASK;
  // The path of a chat's address and the words of a program are secrets as often as its password.
  if (name === 'NOTIFY') return NOTIFY.map(shownTarget).join(',');
  return ADDRESSES.has(name) || value.includes('://') ? shownAddress(value) : value;
}

/** A default as one would write it; undefined where there is none, or it is empty. */
function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.join(',') || undefined;
  if (typeof value === 'object') return undefined; // Limits per route and capabilities: nothing differs from the usual.
  return String(value) || undefined;
}
