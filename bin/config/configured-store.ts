import type { ObjectStore } from '../../storage/object-store.ts';
import { type OpenStoreOptions, openStore } from '../../storage/open-store.ts';
import type { Config } from './config.ts';

/**
 * Opens a store with the configuration's S3 settings; the one of `MODELSTATS_STORE` unless another address is given.
 * Rejects with `configuration` where the address is not valid, or where `access` is `write` and the store doesn't support
 * conditional writes.
 */
export function openConfiguredStore(
  config: Config,
  access: NonNullable<OpenStoreOptions['access']>,
  {
    url = config.STORE,
    file = {},
  }: { readonly url?: string; readonly file?: NonNullable<OpenStoreOptions['file']> } = {},
): Promise<ObjectStore> {
  return openStore(url, { access, file, s3: s3Options(config) });
}

function s3Options(config: Config): NonNullable<OpenStoreOptions['s3']> {
  return {
    ...(config.S3_ENDPOINT === undefined ? {} : { endpoint: config.S3_ENDPOINT }),
    ...(config.S3_PUBLIC_ENDPOINT === undefined ? {} : { publicEndpoint: config.S3_PUBLIC_ENDPOINT }),
    ...(config.S3_REGION === undefined ? {} : { region: config.S3_REGION }),
    ...(config.S3_FORCE_PATH_STYLE === undefined ? {} : { forcePathStyle: config.S3_FORCE_PATH_STYLE }),
    attemptsMax: config.S3_ATTEMPTS_MAX,
    connectTimeoutMs: config.S3_CONNECT_TIMEOUT_MS,
    requestTimeoutMs: config.S3_REQUEST_TIMEOUT_MS,
    idleTimeoutMs: config.S3_IDLE_TIMEOUT_MS,
    uploadsAtOnceMax: config.UPLOADS_MAX,
  };
}
