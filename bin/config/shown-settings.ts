import type { Setting } from '../../runtime/setting.ts';
import { shownAddress } from '../../runtime/shown-address.ts';
import { type Config, type Environment, PREFIX, SETTING_SECTIONS, usualEndpoint } from './config.ts';

export interface ShownSetting {
  readonly name: string;
  /** The section in docs/configuration.md. */
  readonly group: string;
  /** The current value, as an operator would write it. */
  readonly value: string | null;
  /** `environment`, `default`, or the variable it was taken from. */
  readonly source: string;
  readonly default: string | null;
}

const MASK = '…';

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
