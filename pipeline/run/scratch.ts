import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Database, type DuckDBLimits } from '../../storage/duckdb/database.ts';

/** Where work is done that leaves nothing behind. */
export interface Scratch {
  readonly folder: string;
  /** In memory; it spills into the folder. */
  readonly database: Database;
}

export interface ScratchOptions {
  /** The folder in which the scratch folder is made. */
  readonly workFolder: string;
  /** What the scratch folder's name begins with. */
  readonly prefix: string;
  readonly duckdb: DuckDBLimits;
}

/**
 * Does work in a folder of its own, with a database; both are gone when it has ended. It is for commands that only read and
 * that may run where there is no work folder; whoever changes or proves a store does so in a `Run`, which leaves a report.
 */
export async function withScratch<T>(options: ScratchOptions, work: (scratch: Scratch) => Promise<T>): Promise<T> {
  await mkdir(options.workFolder, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(options.workFolder, options.prefix));
  try {
    const database = await Database.open(':memory:', { ...options.duckdb, tempFolder: join(folder, 'spill') });
    try {
      return await work({ folder, database });
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
