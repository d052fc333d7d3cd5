import { argument, commandGroup, defineCommand, flag, option, required } from '../../cli/command.ts';
import { textValue } from '../../cli/option-values.ts';
import { recordStoreAction } from '../../config/configured-accounts.ts';
import { openConfiguredStore, openUpkeep } from '../../config/configured-store.ts';

/** Specification "Republishing and repair". */
const rebuild = defineCommand({
  name: 'rebuild',
  description: 'Rebuild a lost, damaged or outdated catalog.json from the releases',
  options: {
    force: flag('even if the catalog is readable and lists all published releases'),
    keep: option('<day.run>', 'the release to keep if two may have been published', textValue),
  },
  examples: ['modelstats catalog rebuild'],
  async run(context, { force = false, keep }) {
    const [{ rebuildCatalog }, { newestEntry }] = await Promise.all([
      import('../../../pipeline/upkeep/catalog-rebuild.ts'),
      import('../../../storage/catalog.ts'),
    ]);
    const store = await openConfiguredStore(context.config, 'write');
    const details = { force, keep: keep ?? null };
    await recordStoreAction(context, { action: 'store.rebuild_catalog', store: store.url, details });
    const deps = { ...(await openUpkeep(context)), store };
    const { catalog: rebuilt, changed, orphans, warnings, report } = await rebuildCatalog({ force, keep }, deps);
    const newest = newestEntry(rebuilt)?.day ?? null;
    const snapshots = rebuilt.releases.length;
    const has = `${snapshots} snapshots, the newest is ${newest}`;
    const message = changed ? `rebuilt: ${has}; ${orphans.length} orphans omitted` : `the catalog is complete: ${has}`;
    context.printResult({ changed, snapshots, newest, orphans, warnings, report }, message);
    return 0;
  },
});

/** Few releases are ever moved. */
const UPLOADS_MAX = 4;

const redate = defineCommand({
  name: 'redate',
  description: 'Move the snapshot of a future day to its right day, and later ones along',
  arguments: { day: argument('the wrong day') },
  options: {
    to: required('<day>', 'the right day: after the previous snapshot, and not in the future', textValue),
  },
  examples: ['modelstats catalog redate 2031-01-01 --to 2026-11-20'],
  async run(context, { day, to, json }) {
    const upkeep = await import('../../../pipeline/upkeep/redate.ts');
    const store = await openConfiguredStore(context.config, 'write');
    await recordStoreAction(context, { action: 'store.redate', store: store.url, details: { day, to } });
    const deps = { ...(await openUpkeep(context)), store, uploadsMax: UPLOADS_MAX };
    const result = await upkeep.redate({ day, to }, deps);
    if (json) context.print(JSON.stringify(result));
    else for (const { from, to: right } of result.redated) context.print(`${from} is now ${right}`);
    return 0;
  },
});

export const catalog = commandGroup('catalog', 'Manage catalog.json', [rebuild, redate]);
