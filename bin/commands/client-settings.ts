import { type ClientSettings, ClientSettingsSchema } from '../../client/client-settings.ts';
import { AppError } from '../../runtime/errors.ts';
import type { CommandContext } from '../cli/command-context.ts';

export interface ServiceOptions {
  readonly url?: string;
  readonly key?: string;
}

/** How a consumer's command asks the service, by its options and the configuration; throws `usage` where either makes no sense. */
export function clientSettings(
  { config, toolVersion }: Pick<CommandContext, 'config' | 'toolVersion'>,
  { url = config.API_URL, key = config.API_KEY }: ServiceOptions,
): ClientSettings {
  if (url === undefined) throw new AppError('usage', 'name the service: --url https://…, or MODELSTATS_API_URL');
  if (key === undefined) throw new AppError('usage', 'an API key is needed: set MODELSTATS_API_KEY, or give --key');
  const { data, error } = ClientSettingsSchema.safeParse({
    url,
    key,
    attemptsMax: config.CLIENT_ATTEMPTS_MAX,
    timeoutMs: config.CLIENT_TIMEOUT_MS,
    retryDelayMsMax: config.CLIENT_RETRY_MAX_MS,
    limitWaitMsMax: config.CLIENT_LIMIT_WAIT_MAX_MS,
    answerBytesMax: config.CLIENT_ANSWER_BYTES_MAX,
    fileBytesMax: config.CLIENT_FILE_BYTES_MAX,
    userAgent: `modelstats/${toolVersion}`,
  });
  if (data !== undefined) return data;
  const problems = error.issues.map(({ path, message }) => `the ${path.join('.')} ${message}`);
  throw new AppError('usage', problems.join('; '), { cause: error });
}
