import { argument, commandGroup, defineCommand, flag, option, required } from '../../cli/command.ts';
import { textValue } from '../../cli/option-values.ts';
import { noteStoreAction } from '../../config/configured-accounts.ts';
import { openConfiguredStore, openUpkeep } from '../../config/configured-store.ts';

/** Specification "Republishing and repair". */
const rebuild = defineCommand({
  name: 'rebuild',
  description: 'Make a lost, damaged or older catalog.json anew from the releases',
  options: {
    force: flag('even though the catalog can be read and names every published release'),
    keep: option('<day.run>', 'the release to keep where two could have been published', textValue),
  },
  examples: ['modelstats catalog rebuild'],
  async run(context, { force = false, keep }) {
    const [{ rebuildCatalog }, { newestEntry }] = await Promise.all([
      import('../../../pipeline/upkeep/catalog-rebuild.ts'),
      import('../../../storage/catalog.ts'),
    ]);
    const store = await openConfiguredStore(context.config, 'write');
    const details = { force, keep: keep ?? null };
    await noteStoreAction(context, { action: 'store.rebuild_catalog', store: store.url, details });
    const deps = { ...(await openUpkeep(context)), store };
    const { catalog: rebuilt, changed, orphans, warnings, report } = await rebuildCatalog({ force, keep }, deps);
    const newest = newestEntry(rebuilt)?.day ?? null;
    const snapshots = rebuilt.releases.length;
    const has = `${snapshots} snapshots, the newest is ${newest}`;
    const told = changed ? `rebuilt: ${has}; ${orphans.length} orphans left out` : `the catalog is whole: ${has}`;
    context.answer({ changed, snapshots, newest, orphans, warnings, report }, told);
    return 0;
  },
});

/** Uploads at once: few releases are ever moved. */
const UPLOADS_MAX = 4;

const redate = defineCommand({
  name: 'redate',
  description: 'Give the snapshot of a day in the future its right day, and move those after it along',
  arguments: { day: argument('the day that is wrong') },
  options: {
    to: required('<day>', 'the right one: after the snapshot before it, and not in the future', textValue),
  },
  examples: ['modelstats catalog redate 2031-01-01 --to 2026-11-20'],
  async run(context, { day, to, json }) {
    const upkeep = await import('../../../pipeline/upkeep/redate.ts');
    const store = await openConfiguredStore(context.config, 'write');
    await noteStoreAction(context, { action: 'store.redate', store: store.url, details: { day, to } });
    const deps = { ...(await openUpkeep(context)), store, uploadsMax: UPLOADS_MAX };
    const result = await upkeep.redate({ day, to }, deps);
    if (json) context.print(JSON.stringify(result));
    else for (const { from, to: right } of result.redated) context.print(`${from} is ${right} now`);
    return 0;
  },
});

export const catalog = commandGroup('catalog', 'Look after catalog.json', [rebuild, redate]);
