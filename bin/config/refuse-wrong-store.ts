import { setTimeout as wait } from 'node:timers/promises';
import { isAppError } from '../../runtime/errors.ts';
import { CATALOG_KEY } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

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
