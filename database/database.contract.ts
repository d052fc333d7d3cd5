import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ControlDatabase } from './control-database.ts';
import { orUnavailable } from './errors/database-errors.ts';
import { MIGRATIONS_TABLE } from './migrate.ts';
import { openDatabase } from './open-database.ts';
import type { ControlTables } from './tables/tables.ts';

/** The name of every column; one that tables.ts doesn't know, or that is missing here, doesn't compile. */
type ColumnNames = { readonly [T in keyof ControlTables]: Readonly<Record<keyof ControlTables[T], true>> };

const COLUMNS: ColumnNames = {
  organizations: { id: true, name: true, created_at: true, email: true, created_by: true },
  subscriptions: {
    organization_id: true,
    plan: true,
    plan_version: true,
    status: true,
    contract: true,
    period_end: true,
    grace_until: true,
    changed_at: true,
  },
  api_keys: {
    id: true,
    organization_id: true,
    hash: true,
    name: true,
    last_four: true,
    created_at: true,
    last_used_at: true,
    revoked_at: true,
    expires_at: true,
  },
  integrations: {
    id: true,
    organization_id: true,
    name: true,
    url: true,
    domain: true,
    state: true,
    state_changed_at: true,
    failures: true,
    first_failed_at: true,
    checked_at: true,
    reason: true,
    problem: true,
    due_at: true,
    bonus_until: true,
    notice: true,
    asked_at: true,
    asked_checks: true,
    created_at: true,
  },
  integration_sites: { domain: true, organization_id: true, claimed_by: true, claimed_until: true },
  integration_checks: {
    id: true,
    integration_id: true,
    checked_at: true,
    duration_ms: true,
    asked: true,
    reason: true,
    message: true,
    status: true,
    final_url: true,
    found_kind: true,
    found_href: true,
    found_text: true,
    state: true,
  },
  daily_usage: { organization_id: true, day: true, used: true, cap: true, granted: true },
  idempotency_keys: { day: true, api_key_id: true, key: true, request: true, organization_id: true, holders: true },
  request_counts: {
    organization_id: true,
    day: true,
    api_key_id: true,
    route: true,
    client_source: true,
    requests: true,
    units: true,
    not_modified: true,
    shared_units: true,
    rate_limited: true,
    quota_exceeded: true,
    client_errors: true,
    server_errors: true,
    aborted: true,
  },
  audit_log: {
    id: true,
    at: true,
    organization_id: true,
    actor: true,
    action: true,
    subject_id: true,
    details: true,
    origin: true,
  },
  service_values: { name: true, value: true, changed_at: true },
  webhook_endpoints: {
    id: true,
    organization_id: true,
    url: true,
    description: true,
    topics: true,
    filters: true,
    mode: true,
    sealed_secret: true,
    secret_changed_at: true,
    state: true,
    state_changed_at: true,
    consecutive_failures: true,
    notice: true,
    created_at: true,
  },
  webhook_events: { id: true, topic: true, endpoint_id: true, occurred_at: true, seq: true, data: true },
  webhook_deliveries: {
    id: true,
    event_id: true,
    endpoint_id: true,
    kind: true,
    state: true,
    attempts: true,
    due_at: true,
    claimed_by: true,
    created_at: true,
    finished_at: true,
  },
  webhook_attempts: {
    delivery_id: true,
    attempt: true,
    started_at: true,
    duration_ms: true,
    outcome: true,
    status: true,
    message: true,
    answer: true,
  },
  webhook_progress: { name: true, record: true, day: true, seq: true, claimed_by: true, claimed_until: true },
  people: {
    id: true,
    name: true,
    email: true,
    email_verified: true,
    image: true,
    created_at: true,
    updated_at: true,
  },
  sessions: {
    id: true,
    expires_at: true,
    token: true,
    created_at: true,
    updated_at: true,
    address: true,
    user_agent: true,
    person_id: true,
    organization_id: true,
  },
  sign_in_accounts: {
    id: true,
    account_id: true,
    provider_id: true,
    person_id: true,
    access_token: true,
    refresh_token: true,
    id_token: true,
    access_token_expires_at: true,
    refresh_token_expires_at: true,
    scope: true,
    password: true,
    created_at: true,
    updated_at: true,
  },
  verifications: { id: true, identifier: true, value: true, expires_at: true, created_at: true, updated_at: true },
  members: { organization_id: true, person_id: true, role: true, created_at: true },
  invitations: {
    id: true,
    organization_id: true,
    email: true,
    role: true,
    token_hash: true,
    invited_by: true,
    created_at: true,
    expires_at: true,
  },
  sign_in_limits: { subject: true, hits: true, ends_at: true },
  oauth_clients: {
    id: true,
    client_id: true,
    client_secret: true,
    client_discovery_id: true,
    disabled: true,
    skip_consent: true,
    enable_end_session: true,
    subject_type: true,
    scopes: true,
    client_credentials_scopes: true,
    person_id: true,
    created_at: true,
    updated_at: true,
    name: true,
    uri: true,
    icon: true,
    contacts: true,
    tos: true,
    policy: true,
    software_id: true,
    software_version: true,
    software_statement: true,
    redirect_uris: true,
    post_logout_redirect_uris: true,
    backchannel_logout_uri: true,
    backchannel_logout_session_required: true,
    token_endpoint_auth_method: true,
    application_type: true,
    jwks: true,
    jwks_uri: true,
    grant_types: true,
    response_types: true,
    require_pkce: true,
    dpop_bound_access_tokens: true,
    reference_id: true,
    metadata: true,
  },
  oauth_client_assertions: {
    id: true,
    expires_at: true,
  },
  oauth_resources: {
    id: true,
    identifier: true,
    name: true,
    access_token_ttl: true,
    refresh_token_ttl: true,
    signing_algorithm: true,
    signing_key_id: true,
    allowed_scopes: true,
    custom_claims: true,
    dpop_bound_access_tokens_required: true,
    disabled: true,
    created_at: true,
    updated_at: true,
    policy_version: true,
    metadata: true,
  },
  oauth_client_resources: {
    id: true,
    client_id: true,
    resource_id: true,
    metadata: true,
    created_at: true,
  },
  oauth_refresh_tokens: {
    id: true,
    client_id: true,
    person_id: true,
    organization_id: true,
    session_id: true,
    authorization_code_id: true,
    resources: true,
    requested_user_info_claims: true,
    expires_at: true,
    created_at: true,
    revoked: true,
    confirmation: true,
    scopes: true,
    token: true,
    rotated_at: true,
    rotation_replay_response: true,
    rotation_replay_expires_at: true,
    auth_time: true,
  },
  oauth_access_tokens: {
    id: true,
    client_id: true,
    person_id: true,
    organization_id: true,
    session_id: true,
    authorization_code_id: true,
    resources: true,
    requested_user_info_claims: true,
    expires_at: true,
    created_at: true,
    revoked: true,
    confirmation: true,
    scopes: true,
    token: true,
    refresh_id: true,
  },
  connections: {
    id: true,
    client_id: true,
    person_id: true,
    organization_id: true,
    resources: true,
    requested_user_info_claims: true,
    scopes: true,
    created_at: true,
    updated_at: true,
    last_used_at: true,
  },
};

/** What only servers of the version before read. */
const LEFT_FOR_OLDER = ['verified_integrations'];

const ACME = { id: 'org_1', name: 'Acme', created_at: 1_795_000_000_000, email: null, created_by: null };

/** What every control database does; `another` makes an empty one and gives its address. */
export function describeControlDatabase(name: string, another: () => Promise<string>): void {
  describe(`the control database on ${name}`, () => {
    let url: string;
    let database: ControlDatabase;

    beforeEach(async () => {
      url = await another();
      database = await openDatabase(url);
    });
    afterEach(() => database.close());

    test('has exactly the tables and columns of tables.ts', async () => {
      const tables = await database.kysely.introspection.getTables();
      const made = tables
        .filter((table) => !table.name.startsWith(MIGRATIONS_TABLE) && !LEFT_FOR_OLDER.includes(table.name))
        .map((table) => [table.name, Object.fromEntries(table.columns.map((column) => [column.name, true]))]);
      expect(Object.fromEntries(made)).toEqual(COLUMNS);
    });

    test('gives 64-bit numbers back as numbers, to Kysely and to prepared statements', async () => {
      await database.kysely.insertInto('organizations').values(ACME).execute();
      expect(await database.kysely.selectFrom('organizations').selectAll().execute()).toEqual([ACME]);
      expect(await readPrepared(database)).toEqual([ACME]);
    });

    test('keeps nothing of a transaction that failed, and all of one that did not', async () => {
      const { kysely } = database;
      const failing = kysely.transaction().execute(async (transaction) => {
        await transaction.insertInto('organizations').values(ACME).execute();
        throw new Error('given up');
      });
      await expect(failing).rejects.toThrow('given up');
      expect(await readPrepared(database)).toEqual([]);
      await kysely
        .transaction()
        .execute((transaction) => transaction.insertInto('organizations').values(ACME).execute());
      const other = await openDatabase(url);
      expect(await readPrepared(other)).toEqual([ACME]);
      await other.close();
    });

    test("shows with its version on SQLite that another opening has written, and not one's own writing", async () => {
      const before = database.version();
      await database.kysely.insertInto('organizations').values(ACME).execute();
      expect(database.version()).toBe(before);
      const other = await openDatabase(url);
      await other.kysely.deleteFrom('organizations').execute();
      await other.close();
      expect(database.version() !== before).toBe(database.engine.kind === 'sqlite');
    });

    test("rejects with the driver's error, which orUnavailable makes one of ours", async () => {
      const broken = () => sql`select * from no_such_table`.execute(database.kysely);
      await expect(broken()).rejects.toThrow('no_such_table');
      await expect(orUnavailable(broken)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('the control database does not answer'),
      });
    });
  });
}

async function readPrepared({ engine }: ControlDatabase): Promise<readonly unknown[]> {
  const query = 'select id, name, created_at, email, created_by from organizations';
  switch (engine.kind) {
    case 'sqlite':
      return engine.connection.prepare(query).all();
    case 'postgres':
      return (await engine.pool.query(query)).rows;
  }
}
