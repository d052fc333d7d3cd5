import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DATASETS, type Dataset, type DatasetName } from '../../../../schemas/datasets.ts';
import { type Database, type DuckDBLimits, sqlText } from '../../../../storage/duckdb/database.ts';
import type { SourceDay } from '../../source/source-day.ts';
import type { CaptureLimits } from '../../source/source-limits.ts';
import { compareColumns, type Relation, textColumnSql, textSql, upstreamIdsSql } from '../relation.ts';
import type { SelectColumns } from './messages.ts';
import { SandboxProcess } from './sandbox-process.ts';
import { loadSections } from './sections.ts';

export interface SelectDeps {
  readonly database: Database;
  /** Folder for rows on their way, and for what is spilled. */
  readonly scratch: string;
  readonly limits: CaptureLimits;
  /** What the SELECTs may use of the machine, in a database of their own. */
  readonly duckdb: DuckDBLimits;
}

/**
 * Runs the SELECTs of a day's `source.sql`, one per dataset that it maps; undefined where a file that one names isn't there, and
 * nothing at all without a `source.sql`. Rejects with `source_rejected`, naming file and line.
 */
export async function selectDatasets(
  source: SourceDay,
  { database, scratch, duckdb, limits }: SelectDeps,
): Promise<ReadonlyMap<DatasetName, Relation | undefined>> {
  const relations = new Map<DatasetName, Relation | undefined>();
  if (source.sqlPath === undefined) return relations;
  const sections = await loadSections(source.sqlPath);
  const sandbox = await SandboxProcess.open({
    ...duckdb,
    folder: scratch,
    spillFolder: join(scratch, 'source.sql.spill'),
    spillBytesMax: limits.fileBytesMax,
    // As DuckDB sees it: it follows links before it compares.
    folders: [await realpath(source.folder)],
    timeoutMs: limits.sqlTimeoutMs,
  });
  try {
    for (const section of sections) {
      const path = join(scratch, `${section.dataset}.duckdb`);
      const staged = { path, rowsMax: limits.rowsMax, bytesMax: limits.fileBytesMax };
      const columns = await sandbox.run(section, staged);
      const onlyUpstream = source.settings.upstreams.length === 1 ? source.settings.upstreams[0]?.id : undefined;
      const rows = columns && { path, columns, onlyUpstream };
      const relation = rows && (await relationFromStaged(database, DATASETS[section.dataset], rows));
      relations.set(section.dataset, relation);
    }
  } finally {
    await sandbox.close();
  }
  return relations;
}

/** In which a SELECT may name the upstreams of each row: a text, with commas between several, or a list. */
const UPSTREAM_COLUMN = 'upstream';

interface StagedRows {
  /** The database that holds them. */
  readonly path: string;
  readonly columns: SelectColumns;
  /** Whose they are where they don't say so: the one upstream that the source names. */
  readonly onlyUpstream: string | undefined;
}

/** The rows that a SELECT gave, as text, as those of a file are. */
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
