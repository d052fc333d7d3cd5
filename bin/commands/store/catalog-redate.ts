import { redate } from '../../../pipeline/upkeep/redate.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { noteStoreAction } from '../../config/accounts/configured-accounts.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import { openUpkeep } from './open-upkeep.ts';

export interface CatalogRedateOptions {
  readonly day: string;
  readonly to: string;
  readonly json?: boolean;
}

/** Uploads at once: few releases are ever moved. */
const UPLOADS_MAX = 4;

/** `modelstats catalog redate DAY --to DAY`: gives snapshots of days in the future their right day. */
export async function catalogRedate(context: CommandContext, options: CatalogRedateOptions): Promise<number> {
  const { config, print } = context;
  const { day, to, json = false } = options;
  const store = await openConfiguredStore(config, 'write');
  await noteStoreAction(context, { action: 'store.redate', store: store.url, details: { day, to } });
  const deps = { ...(await openUpkeep(context)), store, uploadsMax: UPLOADS_MAX };
  const result = await redate({ day, to }, deps);
  if (json) print(JSON.stringify(result));
  else for (const { from, to: right } of result.redated) print(`${from} is ${right} now`);
  return 0;
}
