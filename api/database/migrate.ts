import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { AppError } from '../../runtime/errors.ts';
import { createWebhooks } from './migrations/0006-webhooks.ts';
import { createPeople } from './migrations/0008-people.ts';
import { createConnections } from './migrations/0010-connections.ts';
import { createIntegrations } from './migrations/0011-integrations.ts';
import { createDigests } from './migrations/0012-digests.ts';
import {
  addAuditAndExpiry,
  addOrganizationEmail,
  bindIdempotencyKeys,
  createOrganizations,
  createRequestCounts,
  createServiceValues,
  createUsage,
} from './migrations/accounts.ts';
import type { Database } from './tables/tables.ts';

/**
 * Migrations in order of their names, the same for SQLite and PostgreSQL. Released ones never change; later ones modify
 * their results.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-organizations': { up: createOrganizations },
  '0002-usage': { up: createUsage },
  '0003-idempotency-requests': { up: bindIdempotencyKeys },
  '0004-audit-and-expiry': { up: addAuditAndExpiry },
  '0005-service-values': { up: createServiceValues },
  '0006-webhooks': { up: createWebhooks },
  '0007-organization-email': { up: addOrganizationEmail },
  '0008-people': { up: createPeople },
  '0009-request-counts': { up: createRequestCounts },
  '0010-connections': { up: createConnections },
  '0011-integrations': { up: createIntegrations },
  '0012-digests': { up: createDigests },
};

/** Our own name: other users of Kysely may share the database. */
export const MIGRATIONS_TABLE = 'modelstats_migrations';

/**
 * The caller must lock out other processes (SQLite: a transaction begun IMMEDIATE; PostgreSQL: Kysely's advisory lock).
 * Rejects with `configuration` if a newer version has changed the database.
 */
export async function migrateControlDatabase(database: Database, shownUrl: string): Promise<void> {
  await refuseNewer(database, shownUrl);
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => ({ ...MIGRATIONS }) },
    migrationTableName: MIGRATIONS_TABLE,
    migrationLockTableName: `${MIGRATIONS_TABLE}_lock`,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

async function refuseNewer(database: Database, shownUrl: string): Promise<void> {
  const { unknown } = await readMigrations(database);
  if (unknown.length === 0) return;
  const message = `the control database ${shownUrl} was changed by a newer version of modelstats (${unknown.join(', ')}); use that version, or another database`;
  throw new AppError('configuration', message);
}

export async function readMigrations(
  database: Database,
): Promise<{ readonly pending: readonly string[]; readonly unknown: readonly string[] }> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  const { rows } = tables.some(({ name }) => name === MIGRATIONS_TABLE)
    ? await sql<{ name: string }>`select name from ${sql.table(MIGRATIONS_TABLE)} order by name`.execute(database)
    : { rows: [] };
  const names = rows.map(({ name }) => name);
  return {
    pending: Object.keys(MIGRATIONS).filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !Object.hasOwn(MIGRATIONS, name)),
  };
}
