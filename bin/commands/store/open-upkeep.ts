import { resolve } from 'node:path';
import { ulid } from 'ulid';
import type { UpkeepDeps } from '../../../pipeline/run/run.ts';
import { tidyRuns } from '../../../pipeline/run/work-folder.ts';
import type { DuckDBLimits } from '../../../storage/duckdb/database.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { duckdbSettings } from '../../config/configured-duckdb.ts';

/** What a command needs for a run in the configured work folder; what runs that died left there is removed first. */
export async function openUpkeep(context: CommandContext): Promise<UpkeepDeps & { readonly duckdb: DuckDBLimits }> {
  const { config, clock } = context;
  const workFolder = resolve(config.WORK);
  await tidyRuns(workFolder, clock());
  return { workFolder, clock, newRunId: () => ulid(clock().getTime()), duckdb: duckdbSettings(config) };
}
