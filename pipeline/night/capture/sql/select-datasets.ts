import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DATASETS, type Dataset, type DatasetName } from '../../../../schemas/datasets.ts';
import { type Database, type DuckDBLimits, sqlText } from '../../../../storage/duckdb/database.ts';
import type { Source } from '../../../source/open-source.ts';
import type { CaptureLimits } from '../../../source/source-settings.ts';
import { compareColumns } from '../columns.ts';
import { type Relation, textColumnSql, textSql, upstreamIdsSql } from '../relation.ts';
import { type AbsentFile, loadSections, type SelectColumns } from './messages.ts';
import { type MissingFile, SandboxProcess } from './sandbox-process.ts';

export interface SelectDeps {
  readonly database: Database;
  /** For staged rows and spilled data. */
  readonly scratch: string;
  readonly limits: CaptureLimits;
  readonly duckdb: DuckDBLimits;
  readonly absent: readonly AbsentFile[];
}

export type Selected = Relation | MissingFile;

/** Runs the SELECTs of a day's `source.sql`, one per dataset. Rejects with `source_rejected`, naming file and line. */
export async function selectDatasets(
  source: Source,
  { database, scratch, duckdb, limits, absent }: SelectDeps,
): Promise<ReadonlyMap<DatasetName, Selected>> {
  const selected = new Map<DatasetName, Selected>();
  if (source.sqlPath === undefined) return selected;
  const sections = await loadSections(source.sqlPath);
  const sandbox = await SandboxProcess.open({
    ...duckdb,
    folder: scratch,
    spillFolder: join(scratch, 'source.sql.spill'),
    spillBytesMax: limits.fileBytesMax,
    // DuckDB resolves links before it compares paths.
    folders: [await realpath(source.folder)],
    absent,
    timeoutMs: limits.sqlTimeoutMs,
  });
  try {
    for (const section of sections) {
      const path = join(scratch, `${section.dataset}.duckdb`);
      const staged = { path, rowsMax: limits.rowsMax, bytesMax: limits.fileBytesMax };
      const given = await sandbox.run(section, staged);
      if ('missing' in given) {
        selected.set(section.dataset, given);
        continue;
      }
      const onlyUpstream = source.settings.upstreams.length === 1 ? source.settings.upstreams[0]?.id : undefined;
      const rows = { path, columns: given, onlyUpstream };
      selected.set(section.dataset, await relationFromStaged(database, DATASETS[section.dataset], rows));
    }
  } finally {
    await sandbox.close();
  }
  return selected;
}

/** A SELECT may name each row's upstreams here: a text, with commas between several, or a list. */
const UPSTREAM_COLUMN = 'upstream';

interface StagedRows {
  readonly path: string;
  readonly columns: SelectColumns;
  /** Owns rows that name no upstream. */
  readonly onlyUpstream: string | undefined;
}

async function relationFromStaged(
  database: Database,
  dataset: Dataset,
  { path, columns: { names, types }, onlyUpstream }: StagedRows,
): Promise<Relation> {
  const name = `staged_${dataset.name}`;
  await database.run(`ATTACH ${sqlText(path)} AS ${name} (READ_ONLY)`);
  const staged = (column: string) => {
    const index = names.indexOf(column);
    return index < 0 ? undefined : { sql: `c${index}`, type: types[index] ?? '' };
  };
  const upstream = staged(UPSTREAM_COLUMN);
  const upstreamSql = upstream && textSql(upstream);
  const selected = dataset.columns.map(({ name: column, isUpstream = false }) => {
    const own = staged(column);
    if (!isUpstream || own !== undefined) return textColumnSql(column, own);
    if (upstreamSql !== undefined) return `${upstreamIdsSql(upstreamSql)}[1] AS ${column}`;
    return `CAST(${onlyUpstream === undefined ? 'NULL' : sqlText(onlyUpstream)} AS VARCHAR) AS ${column}`;
  });
  return {
    sql: `SELECT ${selected.join(', ')} FROM ${name}.staged`,
    parameters: [],
    ...compareColumns(
      dataset,
      names.filter((column) => column !== UPSTREAM_COLUMN),
    ),
    staged: { name, bytes: (await stat(path)).size, upstreamSql },
  };
}
