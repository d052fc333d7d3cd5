/** The examples of api/guide/pages/sync.md that need PostgreSQL. */
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examplesIn, isPrinted, runExample, tableText } from '../support/client/documented-examples.ts';
import { type ExamplePlace, openExamplePlace } from '../support/client/example-place.ts';
import { syncInto, useService } from '../support/client/service.ts';
import { publishFromFixture, SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import { describePostgres } from '../support/processes/postgres-server.ts';

const EXAMPLES = examplesIn(join(import.meta.dirname, '../../api/guide/pages/sync.md')).filter(({ how }) =>
  how.includes('PostgreSQL'),
);

describePostgres('api/guide/pages/sync.md, with a server of its own', (server) => {
  const service = useService({ days: (store) => publishFromFixture('days', store, SAMPLE_DAYS) });
  let place: ExamplePlace;
  beforeAll(async () => {
    place = await openExamplePlace(service);
  });
  afterAll(() => place?.remove());

  test.each(EXAMPLES)('example $number ($language) prints what stands below it', async (example) => {
    const url = await server().createDatabase();
    const printed = example.language === 'sql' ? await query(url, example.code) : await run(url, example);
    if (!isPrinted(example.prints, printed)) expect(printed).toBe(example.prints);
  });

  function run(url: string, example: (typeof EXAMPLES)[number]): Promise<string> {
    return runExample(example, { ...place, replaced: { ...place.replaced, 'postgres://user@host/db': url } });
  }

  /** What a query gives of a copy with history. */
  async function query(url: string, sql: string): Promise<string> {
    await syncInto(url, service.client(), { keepsHistory: true });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
      return tableText(rows);
    } finally {
      await client.end();
    }
  }
});
