import { join } from 'node:path';
import { type Database, writeParquet } from '../../storage/duckdb/database.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import type { Alias } from '../aliases/parse-aliases.ts';

/**
 * Writes the names of models that the source keeps into the release, one row per name, by upstream and id. The same names give the
 * same bytes.
 */
export async function writeAliases(
  aliases: readonly Alias[],
  { database, folder }: { readonly database: Database; readonly folder: string },
): Promise<void> {
  await database.run(
    `CREATE TABLE aliases AS SELECT unnest($1::JSON::STRUCT(upstream VARCHAR, id VARCHAR, model_id VARCHAR)[], recursive := true)`,
    [JSON.stringify(aliases)], // As text: an empty list can't be bound.
  );
  const path = join(folder, RELEASE_PATHS.aliases);
  await writeParquet(database, 'SELECT upstream, id, model_id FROM aliases ORDER BY upstream, id', path);
}
