import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database, type DuckDBLimits } from '../../storage/duckdb/database.ts';

/** Where work is done that leaves nothing behind. */
interface Scratch {
  readonly folder: string;
  /** In memory; it spills into the folder. */
  readonly database: Database;
}

/**
 * Does work in a temporary folder of its own, with a database; both are gone when it has ended. It is for what only reads and may run
 * where there is no work folder; whoever changes or proves a store does so in a `Run`, which leaves a report.
 */
export async function withScratch<T>(duckdb: DuckDBLimits, work: (scratch: Scratch) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-'));
  try {
    const database = await Database.open(':memory:', { ...duckdb, tempFolder: join(folder, 'spill') });
    try {
      return await work({ folder, database });
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
