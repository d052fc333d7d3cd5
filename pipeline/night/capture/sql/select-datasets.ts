import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { DATASETS, type DatasetName } from '../../../../schemas/datasets.ts';
import type { Database, DuckDBLimits } from '../../../../storage/duckdb/database.ts';
import type { SourceDay } from '../../source.ts';
import { type CaptureLimits, TooMuch } from '../../source-limits.ts';
import type { Relation } from '../relation.ts';
import { Sandbox } from './sandbox.ts';
import { loadSections, rejectedSection } from './sections.ts';
import { StagedRows } from './staged-rows.ts';

export interface SelectDeps {
  readonly database: Database;
  /** Folder for what is spilled. */
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
  const sandbox = await Sandbox.open({
    ...duckdb,
    tempFolder: join(scratch, 'source.sql.spill'),
    // As DuckDB sees it: it follows links before it compares.
    folders: [await realpath(source.folder)],
    timeoutMs: limits.sqlTimeoutMs,
    spillBytesMax: limits.fileBytesMax,
  });
  try {
    for (const section of sections) {
      const staged = new StagedRows(database, DATASETS[section.dataset], limits);
      try {
        const isThere = await sandbox.run(section, staged);
        relations.set(section.dataset, isThere ? staged.finish() : undefined);
      } catch (cause) {
        if (cause instanceof TooMuch) throw rejectedSection(section, cause.message, 0, cause);
        throw cause;
      }
    }
  } finally {
    sandbox.close();
  }
  return relations;
}
