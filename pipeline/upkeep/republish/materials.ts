import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError } from '../../../runtime/errors.ts';
import {
  type Column,
  type Dataset,
  type DatasetName,
  publishedColumns,
  publishedName,
} from '../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { getVersion, storedColumns } from '../../../schemas/record-versions.ts';
import type { Release } from '../../../schemas/release.ts';
import { type Database, recordsSql, sqlText } from '../../../storage/duckdb/database.ts';
import { columnDefinitions, DUCKDB_TYPES, entityIdSql } from '../../../storage/duckdb/record-sql.ts';
import { fetchReleaseFile } from '../../../storage/fetch-object.ts';
import { unpackLines } from '../../../storage/gzip-lines.ts';
import { RELEASE_PATHS, releaseId } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { linesSql, noLinesSql } from '../../proof/replay.ts';

export interface MaterialsInput {
  /** Whatever has the recorded bytes of a file may give it; asked in this order. */
  readonly stores: readonly ObjectStore[];
  /** The release whose files are rebuilt, and the one before it; undefined where it is the first night. */
  readonly release: Release;
  readonly previous: Release | undefined;
  readonly versions: readonly RecordVersion[];
  readonly database: Database;
  readonly scratch: string;
}

/**
 * What the files of a release are rebuilt from: other files of it and of the release before, each proven by its recorded hash.
 * What is asked for and can't be had rejects with `not_found` or `corrupt`, naming it.
 */
export class Materials {
  readonly release: Release;
  readonly previous: Release | undefined;
  readonly database: Database;
  readonly scratch: string;
  readonly #input: MaterialsInput;

  constructor(input: MaterialsInput) {
    this.release = input.release;
    this.previous = input.previous;
    this.database = input.database;
    this.scratch = input.scratch;
    this.#input = input;
  }

  /** The version of the records in which the release's snapshot is. */
  versionOf({ schema_version }: Release): RecordVersion {
    return getVersion(this.#input.versions, schema_version);
  }

  /** The columns of a dataset that the release keeps, and those of them that the one before kept too. */
  columnsOf(dataset: Dataset): { readonly kept: readonly Column[]; readonly compared: readonly Column[] } {
    const kept = storedColumns(dataset.name, this.versionOf(this.release));
    const before = storedColumns(dataset.name, this.versionOf(this.previous ?? this.release));
    return { kept, compared: kept.filter((column) => before.includes(column)) };
  }

  /** A Parquet file of the release as a relation. */
  async parquet(path: string): Promise<string> {
    return parquetSql(await this.#fetch(this.release, path));
  }

  /** The state before the night as a relation with `valid_from`; one without rows where there was none. */
  async stateBefore(dataset: Dataset): Promise<string> {
    if (this.previous !== undefined) {
      const path = await this.#fetch(this.previous, RELEASE_PATHS.state(dataset.name));
      return `(${await recordsSql(this.database, dataset, path)})`;
    }
    const empty = `empty_${dataset.name}`;
    await this.database.run(`CREATE OR REPLACE TABLE ${empty} (${columnDefinitions(dataset)}, valid_from DATE)`);
    return empty;
  }

  /** A file of the release before as a relation; undefined where there was none. */
  async parquetBefore(path: string): Promise<string | undefined> {
    return this.previous === undefined ? undefined : parquetSql(await this.#fetch(this.previous, path));
  }

  /** A local copy of a file of the release before. Rejects with `corrupt` also where there is no such file. */
  copyBefore(path: string): Promise<string> {
    if (this.previous === undefined) throw new AppError('corrupt', 'there is no release before it');
    return this.#fetch(this.previous, path);
  }

  /** The lines of a release's snapshot, as `linesSql` gives them; none where there is no such release. */
  async lines(release: Release | undefined, name: DatasetName): Promise<string> {
    if (release === undefined) return noLinesSql(this.versionOf(this.release).datasets[name]);
    const packed = await this.#fetch(release, RELEASE_PATHS.snapshot(name));
    await unpackLines(packed, `${packed}.lines`);
    return linesSql(this.versionOf(release).datasets[name], `${packed}.lines`);
  }

  /**
   * The release's published records as a relation with the dataset's columns, typed; what isn't published is null. Rejects with
   * `corrupt` where the version of the snapshot leaves out a column that others publish.
   */
  async publishedRecords(dataset: Dataset): Promise<string> {
    const published = publishedColumns(this.versionOf(this.release).datasets[dataset.name]);
    const { kept } = this.columnsOf(dataset);
    const missing = kept.find((column) => column.published && !published.some(({ name }) => name === column.name));
    if (missing !== undefined) {
      throw new AppError('corrupt', `version ${this.release.schema_version} of the records has no ${missing.name}`);
    }
    const columns = dataset.columns.map(({ name, type }) => {
      const column = published.find((candidate) => candidate.name === name);
      if (column === undefined) return `CAST(NULL AS ${DUCKDB_TYPES[type]}) AS ${name}`;
      const value = type === 'text[]' ? '->' : '->>';
      return `CAST(line ${value} '$.${publishedName(column)}' AS ${DUCKDB_TYPES[type]}) AS ${name}`;
    });
    return `(SELECT ${columns.join(', ')}, ${entityIdSql(dataset)} AS entity_id FROM (${await this.lines(this.release, dataset.name)}))`;
  }

  async #fetch(release: Release, path: string): Promise<string> {
    const to = join(this.scratch, 'materials', `${releaseId(release)}.${path.replaceAll('/', '.')}`);
    await mkdir(join(this.scratch, 'materials'), { recursive: true });
    let failure: unknown = new Error('no store to ask');
    for (const store of this.#input.stores) {
      try {
        await fetchReleaseFile(store, release, path, to);
        return to;
      } catch (error) {
        if (!isAppError(error) || error.code === 'store_unavailable') throw error;
        failure = error;
      }
    }
    throw failure;
  }
}

function parquetSql(path: string): string {
  return `read_parquet(${sqlText(path)})`;
}

/** Rejects with `corrupt` where what was rebuilt doesn't prove true. */
export function assertProven(isProven: boolean, why: string): void {
  if (!isProven) throw new AppError('corrupt', `what it gives does not prove true: ${why}`);
}
