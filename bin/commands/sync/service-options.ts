import { type ClientSettings, ClientSettingsSchema } from '../../../client/client-settings.ts';
import { AppError } from '../../../runtime/errors.ts';
import { option } from '../../cli/command.ts';
import { textValue } from '../../cli/option-values.ts';
import type { Config } from '../../config/config.ts';

export const SERVICE_OPTIONS = {
  url: option('<url>', 'the service (default: MODELSTATS_API_URL)', textValue),
  key: option('<key>', 'the API key; visible in the process list, so prefer MODELSTATS_API_KEY', textValue),
};

export interface ServiceOptions {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
}

/** Settings from options and configuration; throws `usage` for invalid ones. */
export function clientSettings(
  { config, toolVersion }: { readonly config: Config; readonly toolVersion: string },
  { url = config.client.url, key = config.client.key }: ServiceOptions,
): ClientSettings {
  if (url === undefined) throw new AppError('usage', 'set the service: --url https://… or MODELSTATS_API_URL');
  if (key === undefined) throw new AppError('usage', 'an API key is needed: set MODELSTATS_API_KEY or --key');
  const { data, error } = ClientSettingsSchema.safeParse({
    ...config.client,
    url,
    key,
    userAgent: `modelstats/${toolVersion}`,
  });
  if (data !== undefined) return data;
  const problems = error.issues.map(({ path, message }) => `the ${path.join('.')} ${message}`);
  throw new AppError('usage', problems.join('; '), { cause: error });
}
