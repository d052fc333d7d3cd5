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
import { isJsonType } from '../../../schemas/json-columns.ts';
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
  /** Searched in this order. */
  readonly stores: readonly ObjectStore[];
  /** `previous` is undefined for the first night. */
  readonly release: Release;
  readonly previous: Release | undefined;
  readonly versions: readonly RecordVersion[];
  readonly database: Database;
  readonly scratch: string;
}

/**
 * The verified files from which a release is rebuilt: its own and the previous release's. Missing ones reject with
 * `not_found` or `corrupt`.
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

  versionOf({ schema_version }: Release): RecordVersion {
    return getVersion(this.#input.versions, schema_version);
  }

  /** `compared`: also stored by the previous release. */
  columnsOf(dataset: Dataset): { readonly stored: readonly Column[]; readonly compared: readonly Column[] } {
    const version = this.versionOf(this.release);
    const before = this.versionOf(this.previous ?? this.release);
    return { stored: storedColumns(dataset.name, version), compared: storedColumns(dataset.name, version, before) };
  }

  async parquet(path: string): Promise<string> {
    return parquetSql(await this.#fetch(this.release, path));
  }

  /** With `valid_from`; empty before the first night. */
  async stateBefore(dataset: Dataset): Promise<string> {
    if (this.previous !== undefined) {
      const path = await this.#fetch(this.previous, RELEASE_PATHS.state(dataset.name));
      return `(${await recordsSql(this.database, dataset, path)})`;
    }
    const empty = `empty_${dataset.name}`;
    await this.database.run(`CREATE OR REPLACE TABLE ${empty} (${columnDefinitions(dataset)}, valid_from DATE)`);
    return empty;
  }

  /** Undefined before the first night. */
  async parquetBefore(path: string): Promise<string | undefined> {
    return this.previous === undefined ? undefined : parquetSql(await this.#fetch(this.previous, path));
  }

  /** Rejects with `corrupt` where the file doesn't exist. */
  copyBefore(path: string): Promise<string> {
    if (this.previous === undefined) throw new AppError('corrupt', 'there is no release before it');
    return this.#fetch(this.previous, path);
  }

  /** As `linesSql` returns them; none for an undefined release. */
  async lines(release: Release | undefined, name: DatasetName): Promise<string> {
    if (release === undefined) return noLinesSql(this.versionOf(this.release).datasets[name]);
    const packed = await this.#fetch(release, RELEASE_PATHS.snapshot(name));
    await unpackLines(packed, `${packed}.lines`);
    return linesSql(this.versionOf(release).datasets[name], `${packed}.lines`);
  }

  /**
   * Typed, with null for unpublished columns. Rejects with `corrupt` where the snapshot's version omits a column that no other file
   * keeps.
   */
  async publishedRecords(dataset: Dataset): Promise<string> {
    const published = publishedColumns(this.versionOf(this.release).datasets[dataset.name]);
    const { stored } = this.columnsOf(dataset);
    const missing = stored.find((column) => !column.published && column.isStoredBefore !== true);
    if (missing !== undefined) {
      throw new AppError('corrupt', `version ${this.release.schema_version} of the records has no ${missing.name}`);
    }
    const columns = dataset.columns.map(({ name, type }) => {
      const column = published.find((candidate) => candidate.name === name);
      if (column === undefined) return `CAST(NULL AS ${DUCKDB_TYPES[type]}) AS ${name}`;
      const path = `'$.${publishedName(column)}'`;
      // JSON null is no NULL.
      if (isJsonType(type)) return `nullif(CAST(line -> ${path} AS VARCHAR), 'null') AS ${name}`;
      return `CAST(line ${type === 'text[]' ? '->' : '->>'} ${path} AS ${DUCKDB_TYPES[type]}) AS ${name}`;
    });
    return `(SELECT ${columns.join(', ')}, ${entityIdSql(dataset)} AS entity_id FROM (${await this.lines(this.release, dataset.name)}))`;
  }

  async #fetch(release: Release, path: string): Promise<string> {
    const to = join(this.scratch, 'materials', `${releaseId(release)}.${path.replaceAll('/', '.')}`);
    await mkdir(join(this.scratch, 'materials'), { recursive: true });
    let failure: unknown = new Error('no store');
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

export function assertProven(isProven: boolean, why: string): void {
  if (!isProven) throw new AppError('corrupt', `the rebuilt file failed its proof: ${why}`);
}
