import { rebuildCatalog } from '../../../pipeline/upkeep/catalog-rebuild.ts';
import { newestEntry } from '../../../storage/catalog.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';

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
  { config, print }: CommandContext,
  { force = false, keep, json = false }: CatalogRebuildOptions,
): Promise<number> {
  const { catalog, changed, orphans } = await rebuildCatalog(await openConfiguredStore(config, 'write'), {
    force,
    keep,
  });
  const newest = newestEntry(catalog)?.day ?? null;
  if (json) print(JSON.stringify({ changed, snapshots: catalog.releases.length, newest, orphans }));
  else if (!changed) print(`the catalog is whole: ${catalog.releases.length} snapshots, the newest is ${newest}`);
  else
    print(`rebuilt: ${catalog.releases.length} snapshots, the newest is ${newest}; ${orphans.length} orphans left out`);
  return 0;
}
