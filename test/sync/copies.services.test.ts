import pg from 'pg';
import { expect, test } from 'vitest';
import { collect } from '../support/client/collect.ts';
import { withCopy } from '../support/client/service.ts';
import { describePostgres } from '../support/processes/postgres-server.ts';
import { describeCopies } from './copies.contract.ts';

describePostgres('copies in a server of their own', (server) => {
  describeCopies([{ name: 'PostgreSQL', newPlace: () => server().createDatabase() }]);

  test('a copy that an older program made gets the columns that it lacks, and keeps its records', async () => {
    const place = await server().createDatabase();
    await withCopy(place, async (copy) => copy.state());
    const client = new pg.Client({ connectionString: place });
    await client.connect();
    await client.query(`ALTER TABLE models DROP COLUMN source;
      INSERT INTO models (id, name, updated_at) VALUES ('a', 'A', '2026-06-01T00:00:00Z')`);
    await client.end();
    const lines = await withCopy(place, (copy) => collect(copy.lines('models', '1.1')));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: 'a', name: 'A', source: null }]);
  });
});
