import { constants, copyFile, rm } from 'node:fs/promises';
import type { Catalog } from '../../schemas/catalog.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import type { DuckDBSettings } from '../../storage/duckdb/database.ts';
import { type FetchDeps, fetchParts } from './fetch-parts.ts';
import type { HistoryKind, HistorySource } from './history-kinds.ts';
import { removeView } from './view-folder.ts';
import { canExtend, metaOf, type ViewMeta } from './view-meta.ts';
import { writeView } from './write/write-view.ts';

export interface ViewFile {
  readonly path: string;
  readonly meta: ViewMeta;
}

export interface BuiltView extends ViewFile {
  readonly isExtended: boolean;
}

export interface BuildInput {
  readonly catalog: Catalog;
  /** The view before, which is read but never changed; without one, or where it can't be followed from, all is built anew. */
  readonly previous: ViewFile | undefined;
  readonly path: string;
  /** An empty folder; removed afterwards. */
  readonly scratch: string;
}

export interface BuildDeps extends FetchDeps {
  /** Default: those that this program knows. */
  readonly versions?: readonly RecordVersion[] | undefined;
  /** Default: those that this program serves. */
  readonly histories?: Readonly<Record<HistoryKind, HistorySource>> | undefined;
  readonly duckdb: Omit<DuckDBSettings, 'tempFolder'>;
}

/**
 * Builds the view of a catalog beside the one in use (specification "Following the catalog"): a copy of the previous view that follows the
 * releases since, or all of them from nothing. Where the result is not the newest release, it is built from nothing. Rejects with
 * `corrupt`, `not_found` or `store_unavailable` where the store doesn't hold what the catalog promises; no file is left then.
 */
export async function buildView(input: BuildInput, deps: BuildDeps): Promise<BuiltView> {
  const { previous, catalog } = input;
  const base = previous !== undefined && canExtend(previous.meta, catalog) ? previous : undefined;
  try {
    return await buildFrom(base, input, deps);
  } catch (error) {
    if (!(error instanceof NotFollowed)) throw error;
    return await buildFrom(undefined, input, deps);
  }
}

/** The store's part was fine, but it didn't come together with the previous view. */
class NotFollowed extends Error {}

async function buildFrom(base: ViewFile | undefined, input: BuildInput, deps: BuildDeps): Promise<BuiltView> {
  const { catalog, path, scratch } = input;
  try {
    const existing = new Set(base?.meta.catalog.releases.map(({ day }) => day));
    const entries = catalog.releases.filter(({ day }) => !existing.has(day));
    const parts = await fetchParts({ catalog, entries, folder: scratch }, deps);
    const meta = await write(base, { path, parts, scratch, meta: metaOf(catalog, parts.releases, base?.meta) }, deps);
    return { path, meta, isExtended: base !== undefined };
  } catch (error) {
    await removeView(path);
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

type Written = Pick<Parameters<typeof writeView>[0], 'path' | 'parts' | 'meta'> & { readonly scratch: string };

async function write(base: ViewFile | undefined, { scratch, ...input }: Written, deps: BuildDeps): Promise<ViewMeta> {
  const { versions, histories, duckdb } = deps;
  try {
    if (base !== undefined) await copyFile(base.path, input.path, constants.COPYFILE_FICLONE);
    return await writeView({
      ...input,
      before: base?.meta,
      versions,
      histories,
      duckdb: { ...duckdb, tempFolder: `${scratch}/duckdb` },
    });
  } catch (cause) {
    if (process.env.DBG) console.error(cause);
    throw base === undefined ? cause : new NotFollowed('the previous view could not be followed from', { cause });
  }
}
