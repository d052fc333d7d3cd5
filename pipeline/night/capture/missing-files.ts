import { isAppError } from '../../../runtime/errors.ts';
import type { Catalog } from '../../../schemas/catalog.ts';
import type { DatasetName } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';
import { loadRelease } from '../../../storage/catalog.ts';
import { fetchReleaseFile } from '../../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { StoredFiles } from '../../fetch/fetch-file.ts';
import { describeFailure, type FetchRecord, type RecordedFile } from '../../source/fetch-record.ts';
import type { Source } from '../../source/open-source.ts';

export interface NightSource extends Source {
  /** Fetched files that no fetch has ever brought. */
  readonly absent: readonly RecordedFile[];
}

export const NO_FILE = 'no file today';

/** For a dataset with neither a file nor a SELECT. */
export function whyNoFile(dataset: DatasetName, fetched: readonly RecordedFile[]): string {
  const failed = fetched.find(({ status, file }) => status === 'failed' && file.startsWith(`${dataset}.`));
  return failed === undefined ? NO_FILE : describeFailure(failed);
}

/**
 * For a dataset whose SELECT reads a missing file.
 * @param path or a pattern that no file matches
 * @param absent those of `fetched` without known columns, which no fetch ever brought
 */
export function whyMissing(path: string, fetched: readonly RecordedFile[], absent: readonly RecordedFile[]): string {
  const failed = fetched.find((one) => one.status === 'failed' && isIn(path, one));
  if (failed === undefined) return `source.sql reads ${path}, which does not exist`;
  const advice = absent.includes(failed)
    ? '; list its columns in source.json so that the other upstreams continue'
    : '';
  return `${describeFailure(failed)}, and source.sql reads it${advice}`;
}

function isIn(path: string, { file, carry }: RecordedFile): boolean {
  return path === file || (typeof carry?.folder === 'string' && path.startsWith(`${carry.folder}/`));
}

export function upstreamsOf(files: readonly RecordedFile[]): readonly string[] {
  return [...new Set(files.map(({ upstream }) => upstream))];
}

/** Upstreams that failed today but may have rows: from an earlier day, or from some of their files. */
export function failedUpstreams(fetched: FetchRecord | undefined, absent: readonly RecordedFile[]): readonly string[] {
  const carried = (fetched?.files ?? []).filter(({ status }) => status === 'carried');
  return [...new Set([...carried, ...absent].map(({ upstream }) => upstream))];
}

export function absentNotes(absent: readonly RecordedFile[]): readonly string[] {
  return upstreamsOf(absent).map((id) => {
    const files = absent.filter(({ upstream }) => upstream === id).map(({ file }) => file);
    return `nothing of ${id} is captured until ${files.join(', ')} has been fetched once; other upstreams continue`;
  });
}

/** `none` before the first night; `unknown` where no readable release has a state. */
export type LastFetch = Release | 'none' | 'unknown';

/**
 * The last fetch as a store has it (decision 0073), loaded on first use. Nights that fetched nothing, such as
 * corrections, are skipped.
 */
export class StoredFetch {
  readonly #store: ObjectStore;
  readonly #catalog: Catalog | undefined;
  #last: Promise<LastFetch> | undefined;

  constructor(store: ObjectStore, catalog: Catalog | undefined) {
    this.#store = store;
    this.#catalog = catalog;
  }

  last(): Promise<LastFetch> {
    this.#last ??= this.#find();
    return this.#last;
  }

  /** A lost or damaged file counts as none; `verify` reports it. */
  readonly files: StoredFiles = async (requested, to) => {
    const last = await this.last();
    if (typeof last === 'string') return undefined;
    const fetched = last.fetched?.find((one) => one.upstream === requested.upstream && one.file === requested.file);
    const stored = last.files.find(({ path }) => path === RELEASE_PATHS.fetched(requested.file));
    if (fetched === undefined || stored === undefined) return undefined;
    return unlessDamaged(async () => {
      await fetchReleaseFile(this.#store, last, stored.path, to);
      return { bytes: stored.bytes, sha256: stored.sha256, fetched_at: fetched.fetched_at };
    });
  };

  async findAbsent(fetched: FetchRecord | undefined): Promise<readonly RecordedFile[]> {
    const files = fetched?.files ?? [];
    return files.some(isMissing) ? findNeverFetched(files, await this.last()) : [];
  }

  async #find(): Promise<LastFetch> {
    const entries = (this.#catalog?.releases ?? []).filter(({ parts }) => parts.includes('state'));
    for (const entry of entries.toReversed()) {
      const release = await unlessDamaged(() => loadRelease(this.#store, entry));
      if (release === undefined) return 'unknown';
      if (release.fetched !== undefined) return release;
    }
    return this.#catalog === undefined ? 'none' : 'unknown';
  }
}

async function unlessDamaged<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isAppError(error, 'corrupt') || isAppError(error, 'not_found')) return undefined;
    throw error;
  }
}

/**
 * The files that may be carried and that no fetch has ever brought: no record in force comes from them, so SELECTs may
 * read them as empty. A file that the last fetch doesn't list counts only if its upstream lost no other file (which may
 * have held the same rows) and has no rows in force.
 */
export function findNeverFetched(files: readonly RecordedFile[], last: LastFetch): readonly RecordedFile[] {
  const missing = files.filter(isMissing);
  if (last === 'unknown') return [];
  if (last === 'none') return missing;
  return missing.filter(({ upstream, file }) => {
    const before = (last.fetched ?? []).filter((one) => one.upstream === upstream);
    const known = before.find((one) => one.file === file);
    if (known !== undefined) return known.never_fetched === true;
    if (before.length === 0) return !hasRows(last, upstream);
    return before.every((one) => files.some((other) => other.upstream === upstream && other.file === one.file));
  });
}

function isMissing({ status, carry }: RecordedFile): boolean {
  return status === 'failed' && carry !== undefined;
}

function hasRows({ upstream_rows = {} }: Release, upstream: string): boolean {
  return Object.values(upstream_rows).some((counts) => counts?.[upstream] !== undefined);
}
