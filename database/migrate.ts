import { type Kysely, Migrator, sql } from 'kysely';
import { AppError } from '../../schemas/errors.ts';
import { MIGRATIONS } from './migrations.ts';
import type { ControlTables } from './tables.ts';

/** Of our own name: other users of Kysely may share the database. */
export const MIGRATIONS_TABLE = 'modelstats_migrations';

/**
 * Brings a control database up to this version. Safe with other processes doing the same, provided that the caller keeps
 * them out (SQLite: a transaction begun IMMEDIATE; PostgreSQL: Kysely's advisory lock). Rejects with `configuration` where a
 * newer version of modelstats has changed the database: this one doesn't know what its rows mean.
 */
export async function migrateControlDatabase(database: Kysely<ControlTables>, shownUrl: string): Promise<void> {
  await refuseNewer(database, shownUrl);
  const migrator = new Migrator({
    ...{ db: database, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } },
    ...{ migrationTableName: MIGRATIONS_TABLE, migrationLockTableName: `${MIGRATIONS_TABLE}_lock` },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

async function refuseNewer(database: Kysely<ControlTables>, shownUrl: string): Promise<void> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === MIGRATIONS_TABLE)) return;
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATIONS_TABLE)} order by name`.execute(
    database,
  );
  const unknown = rows.map(({ name }) => name).filter((name) => !Object.hasOwn(MIGRATIONS, name));
  if (unknown.length === 0) return;
  const message = `the control database ${shownUrl} was changed by a newer version of modelstats (${unknown.join(', ')}); use that version, or another database`;
  throw new AppError('configuration', message);
}
