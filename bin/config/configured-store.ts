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
 * Opens a store with the configured S3 settings; by default that of `MODELSTATS_STORE`. Rejects with `configuration`
 * for an invalid address, or if `access` is `write` and the store lacks conditional writes.
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

/** A refusal comes at once. Longer: an unreachable store delays each start. */
const CHECK_MS_MAX = 3_000;

/**
 * Checks a store before a server starts (specification "Exit codes"): rejects with `configuration` if the store refuses
 * the settings. An unreachable store may come back, so the server starts and reports it.
 */
export async function refuseWrongStore(store: Pick<ObjectStore, 'get'>): Promise<void> {
  const checked = store.get(CATALOG_KEY).then(
    () => undefined,
    (error: unknown) => error,
  );
  const refusal = await Promise.race([checked, wait(CHECK_MS_MAX, undefined, { ref: false })]);
  if (isAppError(refusal, 'configuration')) throw refusal;
}

/** Prepares a run in the work folder, and removes what dead runs left there. */
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
