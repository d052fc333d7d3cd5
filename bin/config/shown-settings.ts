import type { Setting } from '../../runtime/setting.ts';
import { shownAddress } from '../../runtime/shown-address.ts';
import { type Config, type Environment, PREFIX, SETTING_SECTIONS, usualEndpoint } from './config.ts';

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

/** Every setting with its value in force, in the sections of docs/configuration.md. */
export function shownSettings(config: Config, env: Environment): readonly ShownSetting[] {
  return SETTING_SECTIONS.flatMap(({ title: group, settings }) =>
    settings.map((setting) => {
      const source = sourceOf(setting, { config, env });
      const variable = `${PREFIX}${setting.name}`;
      const value = source === 'default' ? setting.fallback : env[source === 'environment' ? variable : source];
      return {
        name: variable,
        group,
        value: value === undefined ? null : shownValue(setting, value),
        source,
        default: setting.fallback ?? null,
      };
    }),
  );
}

function sourceOf({ name }: Setting, { config, env }: { readonly config: Config; readonly env: Environment }): string {
  if (env[`${PREFIX}${name}`]) return 'environment';
  const usual = name === 'S3_ENDPOINT' && config.s3.endpoint !== undefined ? usualEndpoint(env) : undefined;
  return usual ?? 'default';
}

function shownValue({ shown }: Setting, value: string): string {
  if (shown === 'masked') return MASK;
  if (typeof shown === 'function') return shown(value);
  return shown === 'address' || value.includes('://') ? shownAddress(value) : value;
}
