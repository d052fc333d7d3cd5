import { rm } from 'node:fs/promises';
import type { Catalog } from '../../../schemas/catalog.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import type { DuckDBLimits } from '../../../storage/duckdb/database.ts';
import type { HistoryKind, HistorySource } from '../history-kinds.ts';
import { canFollow, metaOf } from '../view-meta.ts';
import type { ViewFile, WriteInput } from '../write/write-view.ts';
import { type FetchDeps, fetchParts } from './fetch-parts.ts';
import { removeView } from './view-folder.ts';
import { writeInChild } from './write-in-child.ts';

export type { ViewFile };

export interface BuiltView extends ViewFile {
  readonly isExtended: boolean;
  /** Why the previous view could not follow, if that was tried. */
  readonly notFollowed?: unknown;
}

export interface BuildInput {
  readonly catalog: Catalog;
  /** Read, never changed. Without one that can be followed from, everything is written. */
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
  readonly duckdb: DuckDBLimits;
  /** Default: in a process of its own. */
  readonly write?: ((input: WriteInput, signal?: AbortSignal) => Promise<ViewFile>) | undefined;
}

/**
 * Builds a view (specification "Following the catalog"): a copy of the previous one that follows the releases since, or, without one or
 * if that fails, all releases. Rejects with `corrupt`, `not_found` or `store_unavailable` if the store lacks something, and leaves no
 * file.
 */
export async function buildView(input: BuildInput, deps: BuildDeps): Promise<BuiltView> {
  const { previous, catalog } = input;
  const base = previous !== undefined && canFollow(previous.meta, catalog) ? previous : undefined;
  try {
    return await buildFrom(base, input, deps);
  } catch (error) {
    if (!(error instanceof NotFollowed)) throw error;
    return { ...(await buildFrom(undefined, input, deps)), notFollowed: error.cause };
  }
}

/** The previous view could not follow sound files. */
class NotFollowed extends Error {}

async function buildFrom(base: ViewFile | undefined, input: BuildInput, deps: BuildDeps): Promise<BuiltView> {
  const { catalog, path, scratch } = input;
  const { versions, histories, duckdb, write = writeInChild, signal } = deps;
  try {
    const existing = new Set(base?.meta.catalog.releases.map(({ day }) => day));
    const entries = catalog.releases.filter(({ day }) => !existing.has(day));
    const parts = await fetchParts({ catalog, entries, folder: scratch }, deps);
    signal?.throwIfAborted();
    const order: WriteInput = {
      path,
      base: base && { path: base.path, meta: base.meta, sum: base.sum },
      parts,
      isServing: input.previous !== undefined,
      meta: metaOf(catalog, parts.releases, base?.meta),
      versions,
      histories,
      duckdb: { ...duckdb, tempFolder: `${scratch}/duckdb` },
    };
    const written = await write(order, signal).catch((cause: unknown) => {
      throw base === undefined || signal?.aborted
        ? cause
        : new NotFollowed('the previous view could not follow', { cause });
    });
    return { ...written, isExtended: base !== undefined };
  } catch (error) {
    await removeView(path);
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
