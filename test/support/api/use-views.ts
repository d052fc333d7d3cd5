import { readdir, rm } from 'node:fs/promises';
import { expect } from 'vitest';
import { type BuiltView, buildView, type ViewFile } from '../../../api/view/follow/build-view.ts';
import { writeView } from '../../../api/view/write/write-view.ts';
import type { Catalog } from '../../../schemas/catalog.ts';
import { loadCatalog } from '../../../storage/catalog.ts';
import type { TemporaryStore } from '../pipeline/temporary-store.ts';
import { useFolder } from '../temporary-folder.ts';
import { dumpView } from './dump-view.ts';
import type { TestApi } from './open-api.ts';

/** Builds views of a store that a test publishes to, in a folder that goes away with the tests of the file. */
export function useViews(store: () => TemporaryStore) {
  const place = useFolder();
  let views = 0;
  const getCatalog = async (): Promise<Catalog> => {
    const { catalog } = await loadCatalog(store().deps.store);
    if (catalog === undefined) throw new Error('nothing is published');
    return catalog;
  };
  const build = (catalog: Catalog, previous: ViewFile | undefined): Promise<BuiltView> => {
    views += 1;
    const [path, scratch] = [place(`${views}.sqlite`), place(`${views}.parts`)];
    const duckdb = { memoryLimit: '300MB', threads: 1 };
    return buildView(
      { catalog, previous, path, scratch },
      { store: store().deps.store, downloadsMax: 4, duckdb, write: writeView },
    );
  };
  return {
    place,
    getCatalog,
    build,
    /** The next view, extended or not; all its tables are those of one that is built from nothing. */
    buildBoth: async (previous: ViewFile | undefined, isExtended = true): Promise<BuiltView> => {
      const catalog = await getCatalog();
      const [next, rebuilt] = [await build(catalog, previous), await build(catalog, undefined)];
      expect(next.isExtended).toBe(isExtended);
      expect(dumpView(next.path)).toEqual(dumpView(rebuilt.path));
      await rm(rebuilt.path);
      return next;
    },
    /** The tables of the view that an API serves, which followed the last night or not: those of one that is built from nothing. */
    servedTables: async ({ follower, events }: Pick<TestApi, 'follower' | 'events'>, isExtended: boolean) => {
      expect(events.at(-1)).toMatchObject({ type: 'swapped', day: follower.current().newest.day, isExtended });
      const rebuilt = await build(await getCatalog(), undefined);
      const tables = dumpView(follower.current().path);
      expect(tables).toEqual(dumpView(rebuilt.path));
      return tables;
    },
    /** Files in the folder that are no views. */
    strayFiles: async (): Promise<readonly string[]> =>
      (await readdir(place())).filter((name) => !/^\d+\.sqlite$/.test(name)),
  };
}
