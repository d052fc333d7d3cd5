import type { Kysely } from 'kysely';

/**
 * Copies integrations that operators verified, to be checked at once; of several organizations on a site the first
 * keeps it. The old table stays for servers of the previous version.
 */
export async function createIntegrations(database: Kysely<unknown>): Promise<void> {
  await createTables(database);
  await carryOver(database as Kysely<Carried>); // The tables as of this migration.
}

async function createTables(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('integration_sites')
    .addColumn('domain', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.references('organizations.id'))
    .addColumn('claimed_by', 'text')
    .addColumn('claimed_until', 'bigint')
    .execute();
  await database.schema
    .createTable('integrations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('domain', 'text', (column) => column.notNull().references('integration_sites.domain'))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('state_changed_at', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('first_failed_at', 'bigint')
    .addColumn('checked_at', 'bigint')
    .addColumn('reason', 'text')
    .addColumn('problem', 'text')
    .addColumn('due_at', 'bigint')
    .addColumn('bonus_until', 'bigint')
    .addColumn('notice', 'text')
    .addColumn('asked_at', 'bigint')
    .addColumn('asked_checks', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema
    .createTable('integration_checks')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('integration_id', 'text', (column) => column.notNull().references('integrations.id'))
    .addColumn('checked_at', 'bigint', (column) => column.notNull())
    .addColumn('duration_ms', 'integer', (column) => column.notNull())
    .addColumn('asked', 'integer', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('final_url', 'text')
    .addColumn('found_kind', 'text')
    .addColumn('found_href', 'text')
    .addColumn('found_text', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .execute();
  for (const [table, ...columns] of INDEXES)
    await database.schema
      .createIndex(`${table}_by_${columns.join('_and_')}`)
      .on(table)
      .columns(columns)
      .execute();
}

const INDEXES: readonly (readonly [string, ...string[]])[] = [
  ['integrations', 'organization_id', 'bonus_until'],
  ['integrations', 'domain'],
  ['integrations', 'due_at'],
  ['integration_checks', 'integration_id', 'id'],
  ['integration_checks', 'checked_at'],
];

/** Columns as of this migration. */
interface Carried {
  readonly verified_integrations: {
    readonly id: string;
    readonly organization_id: string;
    readonly url: string;
    readonly verified_at: number;
    readonly ended_at: number | null;
  };
  readonly integration_sites: { readonly domain: string; readonly organization_id: string | null };
  readonly integrations: Readonly<Record<'id' | 'organization_id' | 'name' | 'url' | 'domain' | 'state', string>> &
    Readonly<Record<'state_changed_at' | 'failures' | 'asked_checks' | 'created_at', number>> &
    Readonly<Record<'due_at' | 'bonus_until', number | null>>;
}

const DAY_MS = 86_400_000;
/** `NO_END_MS` of api/accounts/organizations/terms.ts at the time. */
const NO_END_MS = 8_640_000_000_000_000;

async function carryOver(database: Kysely<Carried>): Promise<void> {
  const rows = await database
    .selectFrom('verified_integrations')
    .selectAll()
    .orderBy('verified_at')
    .orderBy('id')
    .execute();
  if (rows.length === 0) return;
  const domainOf = await loadDomainOf();
  const holders = new Map<string, string | null>();
  for (const { url, organization_id, ended_at } of rows) {
    const domain = domainOf(url);
    holders.set(domain, holders.get(domain) ?? (ended_at === null ? organization_id : null));
  }
  for (const [domain, organization_id] of holders)
    await database.insertInto('integration_sites').values({ domain, organization_id }).execute();
  for (const row of rows) {
    const domain = domainOf(row.url);
    const { id, organization_id, url, verified_at } = row;
    const common = { id, organization_id, name: url.slice(0, 100), url, domain, created_at: verified_at };
    const none = { failures: 0, asked_checks: 0 };
    const state = stateOf(row, holders.get(domain) === organization_id);
    await database
      .insertInto('integrations')
      .values({ ...common, ...none, ...state })
      .execute();
  }
}

/** The bonus of an organization that loses its site lasts until the end of the day. */
function stateOf({ verified_at, ended_at }: Carried['verified_integrations'], isHolder: boolean) {
  if (ended_at !== null) return { state: 'removed', state_changed_at: ended_at, due_at: null, bonus_until: ended_at };
  const checked = { state_changed_at: verified_at, due_at: verified_at };
  if (isHolder) return { ...checked, state: 'verified', bonus_until: NO_END_MS };
  const midnight = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;
  return { ...checked, state: 'rejected', bonus_until: midnight };
}

/** Loaded only if there are rows, since every command opens the database. */
async function loadDomainOf(): Promise<(url: string) => string> {
  const { getDomain } = await import('tldts');
  return (url) => getDomain(url, { allowPrivateDomains: true }) ?? URL.parse(url)?.hostname ?? url;
}
