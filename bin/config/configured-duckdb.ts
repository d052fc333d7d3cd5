import type { DuckDBLimits } from '../../storage/duckdb/database.ts';
import type { Config } from './config.ts';

/** DuckDB's part of the configuration. */
export function duckdbSettings(config: Config): DuckDBLimits {
  return { memoryLimit: config.MEMORY_LIMIT, threads: config.THREADS };
}
