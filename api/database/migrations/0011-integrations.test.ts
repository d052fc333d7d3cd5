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
  const columns = 'id, url, domain, state, due_at, bonus_until';
  expect(sqlite.prepare(`select ${columns} from integrations order by id`).raw().all()).toEqual([
    ['int_1', 'https://shop.example.com/a', 'example.com', 'verified', 100, NO_END_MS],
    ['int_2', 'https://www.example.com/', 'example.com', 'rejected', 200, expect.any(Number)],
    ['int_3', 'https://other.github.io/', 'other.github.io', 'removed', null, 70],
    ['int_4', 'no address', 'no address', 'verified', 60, NO_END_MS],
  ]);
  const rejected = sqlite.prepare<[], number>("select bonus_until from integrations where id = 'int_2'").pluck().get();
  const leftMs = (rejected ?? 0) - Date.now();
  expect([leftMs > 0, leftMs <= 86_400_000]).toEqual([true, true]);
  const sites = 'select domain, organization_id from integration_sites order by domain';
  expect(sqlite.prepare(sites).raw().all()).toEqual([
    ['example.com', 'org_1'],
    ['no address', 'org_2'],
    ['other.github.io', null],
  ]);
  // Servers of the version before read it still.
  expect(sqlite.prepare('select count(*) from verified_integrations').pluck().get()).toBe(4);
  await kysely.destroy();
});
