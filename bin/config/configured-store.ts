import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { UpkeepDeps } from '../../pipeline/run/run.ts';
import { isAppError } from '../../runtime/errors.ts';
import type { DuckDBLimits } from '../../storage/duckdb/database.ts';
import { CATALOG_KEY } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { OpenStoreOptions } from '../../storage/open-store.ts';
import type { Config } from './config.ts';

/**
 * Opens a store with the configuration's S3 settings; the one of `MODELSTATS_STORE` unless another address is given.
 * Rejects with `configuration` where the address is not valid, or where `access` is `write` and the store doesn't support
 * conditional writes.
 */
export async function openConfiguredStore(
  config: Config,
  access: NonNullable<OpenStoreOptions['access']>,
  {
    url = config.places.store,
    file = {},
  }: { readonly url?: string; readonly file?: NonNullable<OpenStoreOptions['file']> } = {},
): Promise<ObjectStore> {
  const { openStore } = await import('../../storage/open-store.ts');
  return openStore(url, { access, file, s3: { ...config.s3, uploadsAtOnceMax: config.uploads.uploadsMax } });
}

/** A store that refuses does so at once. Longer: one that can't be reached holds up every start as long. */
const LOOK_MS_MAX = 3_000;

/**
 * Looks at a store before a server begins that can do nothing without it (specification "Exit codes"): rejects with `configuration`
 * where the store is there and refuses the settings. One that can't be reached may come back: the server begins, and tells.
 */
export async function refuseWrongStore(store: Pick<ObjectStore, 'get'>): Promise<void> {
  const looked = store.get(CATALOG_KEY).then(
    () => undefined,
    (error: unknown) => error,
  );
  const refusal = await Promise.race([looked, wait(LOOK_MS_MAX, undefined, { ref: false })]);
  if (isAppError(refusal, 'configuration')) throw refusal;
}

/** What a command needs for a run in the configured work folder; what runs that died left there is removed first. */
export async function openUpkeep({
  config,
  clock,
}: {
  readonly config: Config;
  readonly clock: () => Date;
}): Promise<UpkeepDeps & { readonly duckdb: DuckDBLimits }> {
  const [{ ulid }, { tidyRuns }] = await Promise.all([import('ulid'), import('../../pipeline/run/work-folder.ts')]);
  const workFolder = resolve(config.places.work);
  await tidyRuns(workFolder, clock());
  return { workFolder, clock, newRunId: () => ulid(clock().getTime()), duckdb: config.duckdb };
}
