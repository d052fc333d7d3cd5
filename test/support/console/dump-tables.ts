import type { Kysely } from 'kysely';
import type { ControlTables } from '../../../api/database/tables/tables.ts';

/** What an organization owns. Not sessions, which are prolonged by looking at a page, nor what is counted. */
const TABLES = [
  'organizations',
  'subscriptions',
  'api_keys',
  'members',
  'invitations',
  'webhook_endpoints',
  'webhook_events',
  'webhook_deliveries',
  'audit_log',
] as const;

/** Every row of the tables of which a console's form may change one. */
export async function dumpTables(
  database: Kysely<ControlTables>,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const dumps = await Promise.all(
    TABLES.map(async (table) => [table, await database.selectFrom(table).selectAll().execute()] as const),
  );
  return Object.fromEntries(dumps);
}
