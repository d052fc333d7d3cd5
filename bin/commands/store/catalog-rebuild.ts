import { rebuildCatalog } from '../../../pipeline/upkeep/catalog-rebuild.ts';
import { newestEntry } from '../../../storage/catalog.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { noteStoreAction } from '../../config/accounts/configured-accounts.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import { openUpkeep } from './open-upkeep.ts';

export interface CatalogRebuildOptions {
  readonly force?: boolean;
  readonly keep?: string;
  readonly json?: boolean;
}

/**
 * `modelstats catalog rebuild`: makes a lost or damaged catalog.json anew from the releases
 * (specification "Republishing and repair").
 */
export async function catalogRebuild(
  context: CommandContext,
  { force = false, keep, json = false }: CatalogRebuildOptions,
): Promise<number> {
  const { config, print } = context;
  const store = await openConfiguredStore(config, 'write');
  const details = { force, keep: keep ?? null };
  await noteStoreAction(context, { action: 'store.rebuild_catalog', store: store.url, details });
  const deps = { ...(await openUpkeep(context)), store };
  const { catalog, changed, orphans, warnings, report } = await rebuildCatalog({ force, keep }, deps);
  const newest = newestEntry(catalog)?.day ?? null;
  if (json) print(JSON.stringify({ changed, snapshots: catalog.releases.length, newest, orphans, warnings, report }));
  else if (!changed) print(`the catalog is whole: ${catalog.releases.length} snapshots, the newest is ${newest}`);
  else
    print(`rebuilt: ${catalog.releases.length} snapshots, the newest is ${newest}; ${orphans.length} orphans left out`);
  return 0;
}
