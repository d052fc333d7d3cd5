/** A copy through a notice and a cutover to another version of the records (specification "Record versions"). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linesOf, openService, type Service, syncInto, useFolder } from '../support/client/service.ts';
import { listReleases, readSnapshot } from '../support/pipeline/published.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { AFTER, CUTOVER, DAYS, LAST, VERSIONS, writeVersionedDays } from '../worlds/versioned-days.ts';

const place = useFolder();
let source: string;
let store: TemporaryStore;
let service: Service;

beforeAll(async () => {
  source = await mkdtemp(join(tmpdir(), 'modelstats-source-'));
  await writeVersionedDays(source);
  store = await openTemporaryStore({ versions: VERSIONS });
  await store.night(source, DAYS[0] ?? '');
  service = await openService({ store: store.url, versions: VERSIONS });
});
afterAll(async () => {
  await service.close();
  await Promise.all([store.dispose(), rm(source, { recursive: true })]);
});

test('a folder follows into the new version; a database stops before it and says why', {
  timeout: 60_000,
}, async () => {
  const [folder, database] = [place('folder'), place('copy.sqlite')];
  for (const day of DAYS) {
    if (day !== DAYS[0]) await service.publish(() => store.night(source, day));
    expect(await syncInto(folder, service.client())).toMatchObject({ snapshot_id: day, warnings: [] });
    const newest = (await listReleases(store)).at(-1);
    if (newest === undefined) throw new Error('nothing is published');
    expect((await linesOf(folder)).models).toBe(await readSnapshot(store, newest, 'models'));
    if (day <= LAST) {
      // Through the notice it passes over the snapshots of the announced version.
      expect(await syncInto(database, service.client())).toMatchObject({ snapshot_id: day, warnings: [] });
    } else {
      await expect(syncInto(database, service.client())).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('in version 2.0, which this program doesn'),
      });
    }
  }
  expect([CUTOVER, AFTER]).toEqual(DAYS.slice(-2));
  const before = await linesOf(database);
  expect(before.models.split('\n')).toHaveLength(6);
});
