import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { linesOf, newestLines, openService, syncInto } from '../support/client/service.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { describePostgres } from '../support/processes/postgres-server.ts';
import { DAYS, FIRST, publishSourcedDays } from '../worlds/sourced-days.ts';
import { describeCopies, describeKills } from './copies.contract.ts';

describePostgres('copies in a server of their own', (server) => {
  const kind = { name: 'PostgreSQL', newPlace: () => server().createDatabase() };
  describe('that follow', () => describeCopies([kind]));
  describe('whose syncs are killed', () => describeKills(kind));

  /** A copy of the first of the sourced days. */
  async function useCopy() {
    const store = await openTemporaryStore();
    await publishSourcedDays(store, [FIRST]);
    const service = await openService({ store: store.url });
    const into = await server().createDatabase();
    await syncInto(into, service.client());
    const reader = new pg.Client({ connectionString: into });
    await reader.connect();
    onTestFinished(async () => {
      await reader.end();
      await service.close();
      await store.dispose();
    });
    return { store, service, into, reader };
  }

  test('a copy of an older program, which lacks columns, goes on over the cutover and equals every snapshot', async () => {
    const { store, service, into, reader } = await useCopy();
    for (const name of ['models', 'pricing']) await reader.query(`ALTER TABLE ${name} DROP COLUMN source`);
    for (const day of DAYS.slice(1)) {
      await service.publish(() => publishSourcedDays(store, [day]));
      const result = await syncInto(into, service.client());
      expect(result).toMatchObject({ status: 'followed', snapshot_id: day, warnings: [] });
      const { models, pricing } = await newestLines(store);
      expect(await linesOf(into)).toMatchObject({ models, pricing });
    }
  });

  test('a copy is followed while somebody reads it all the time, and waits for nobody', async () => {
    const { store, service, into, reader } = await useCopy();
    await reader.query('BEGIN');
    for (const name of ['models', 'benchmarks', 'scores', 'rankings', 'pricing']) await reader.query(`TABLE ${name}`);
    await service.publish(() => publishSourcedDays(store, DAYS.slice(1, 2)));
    expect(await syncInto(into, service.client())).toMatchObject({ status: 'followed' });
    await reader.query('ROLLBACK');
  });
});
