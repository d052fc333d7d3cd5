import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { constrainedMemory } from 'node:process';
import { bytesFromSize } from '../../../../pipeline/night/capture/sql/sandbox-process.ts';
import { Database } from '../../../../storage/duckdb/database.ts';
import { number } from '../../../../storage/duckdb/row-shape.ts';
import { duckdbSettings } from '../../../config/configured-duckdb.ts';
import { type Finding, ok, type Setup, warn } from '../finding.ts';
import { inGibibytes } from './folder.ts';

/** Node, the operating system and a process of `source.sql` need memory besides. */
const SHARE_MAX = 0.8;

/** Whether DuckDB's library loads here and answers, and its memory fits into the machine's. */
export async function checkDuckDB({ config }: Setup): Promise<Finding> {
  const database = await Database.open(':memory:', {
    ...duckdbSettings(config),
    tempFolder: join(tmpdir(), 'modelstats-doctor'), // Made when something spills, which nothing does here.
  });
  try {
    await database.row({ answer: number }, 'SELECT 42 AS answer');
  } finally {
    database.close();
  }
  const memory = Math.min(totalmem(), constrainedMemory() || Number.POSITIVE_INFINITY);
  const told = `DuckDB answers; it may take ${config.MEMORY_LIMIT} of ${inGibibytes(memory)} and ${config.THREADS} threads`;
  if (bytesFromSize(config.MEMORY_LIMIT) <= memory * SHARE_MAX) return ok(told);
  return warn(told, 'lower MODELSTATS_MEMORY_LIMIT, or nights and servers may be killed for want of memory');
}
