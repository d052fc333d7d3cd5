import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addDays, type Day } from '../../runtime/day.ts';
import { linesOf, newestLines, openService, syncInto } from '../support/client/service.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { describePostgres } from '../support/processes/postgres-server.ts';
import * as rated from '../worlds/rated-days.ts';
import { DAYS, FIRST, publishSourcedDays } from '../worlds/sourced-days.ts';
import { describeCopies, describeKills } from './copies.contract.ts';

describePostgres('copies in a server of their own', (server) => {
  const kind = { name: 'PostgreSQL', newPlace: () => server().createDatabase() };
  describe('that follow', () => describeCopies([kind]));
  describe('whose syncs are killed', () => describeKills(kind));

  /** A copy of the first day of a world. */
  async function useCopy(publishDays: typeof publishSourcedDays, first: Day) {
    const store = await openTemporaryStore();
    await publishDays(store, [first]);
    const service = await openService({ store: store.url, now: `${addDays(first, 9)}T12:00:00Z` });
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

  test.each([
    { version: '1.1', days: DAYS, publishDays: publishSourcedDays, added: { models: ['source'], pricing: ['source'] } },
    { version: '1.2', days: rated.DAYS, publishDays: rated.publishRatedDays, added: rated.ADDED },
  ])(
    'a copy of an older program, which lacks columns of $version, goes on over the cutover and equals every snapshot',
    async ({ days: [first = '', ...days], publishDays, added }) => {
      const { store, service, into, reader } = await useCopy(publishDays, first);
      for (const [name, columns] of Object.entries(added)) {
        for (const column of columns) await reader.query(`ALTER TABLE ${name} DROP COLUMN ${column}`);
      }
      for (const day of days) {
        await service.publish(() => publishDays(store, [day]));
        const result = await syncInto(into, service.client());
        expect(result).toMatchObject({ status: 'followed', snapshot_id: day, warnings: [] });
        const { models, scores, pricing } = await newestLines(store);
        expect(await linesOf(into)).toMatchObject({ models, scores, pricing });
      }
    },
  );

  test('a copy is followed while somebody reads it all the time, and waits for nobody', async () => {
    const { store, service, into, reader } = await useCopy(publishSourcedDays, FIRST);
    await reader.query('BEGIN');
    for (const name of ['models', 'benchmarks', 'scores', 'rankings', 'pricing']) await reader.query(`TABLE ${name}`);
    await service.publish(() => publishSourcedDays(store, DAYS.slice(1, 2)));
    expect(await syncInto(into, service.client())).toMatchObject({ status: 'followed' });
    await reader.query('ROLLBACK');
  });
});
