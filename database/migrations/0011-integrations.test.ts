import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../migrate.ts';

const NO_END_MS = 8_640_000_000_000_000;

test('what was verified before is carried over, and of two organizations on one site the first keeps it', async () => {
  const sqlite = new Database(':memory:');
  const kysely = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) });
  const steps = Object.entries(MIGRATIONS).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, { up }] of steps) {
    if (name === '0011-integrations') {
      sqlite.exec(`
        insert into organizations (id, name, created_at) values ('org_1', 'Acme', 0), ('org_2', 'Other', 0);
        insert into verified_integrations (id, organization_id, url, verified_at, ended_at) values
          ('int_1', 'org_1', 'https://shop.example.com/a', 100, null),
          ('int_2', 'org_2', 'https://www.example.com/', 200, null),
          ('int_3', 'org_2', 'https://other.github.io/', 50, 70),
          ('int_4', 'org_2', 'no address', 60, null)`);
    }
    await up(kysely);
  }
  const rows = sqlite.prepare('select id, url, domain, state, due_at, bonus_until from integrations order by id').all();
  const midnight = expect.any(Number);
  expect(rows).toEqual([
    {
      id: 'int_1',
      url: 'https://shop.example.com/a',
      domain: 'example.com',
      state: 'verified',
      due_at: 100,
      bonus_until: NO_END_MS,
    },
    {
      id: 'int_2',
      url: 'https://www.example.com/',
      domain: 'example.com',
      state: 'rejected',
      due_at: 200,
      bonus_until: midnight,
    },
    {
      id: 'int_3',
      url: 'https://other.github.io/',
      domain: 'other.github.io',
      state: 'removed',
      due_at: null,
      bonus_until: 70,
    },
    {
      id: 'int_4',
      url: 'no address',
      domain: 'no address',
      state: 'verified',
      due_at: 60,
      bonus_until: NO_END_MS,
    },
  ]);
  const rejected = sqlite.prepare<[], number>("select bonus_until from integrations where id = 'int_2'").pluck().get();
  const leftMs = (rejected ?? 0) - Date.now();
  expect([leftMs > 0, leftMs <= 86_400_000]).toEqual([true, true]);
  const sites = sqlite.prepare('select domain, organization_id from integration_sites order by domain').all();
  expect(sites).toEqual([
    { domain: 'example.com', organization_id: 'org_1' },
    { domain: 'no address', organization_id: 'org_2' },
    { domain: 'other.github.io', organization_id: null },
  ]);
  // Servers of the version before read it still.
  expect(sqlite.prepare('select count(*) from verified_integrations').pluck().get()).toBe(4);
  await kysely.destroy();
});
