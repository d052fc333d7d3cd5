/** A copy through a notice and a cutover to another version of the records (specification "Record versions"). */
import { expect, onTestFinished, test } from 'vitest';
import { linesOf, newestLines, openService, syncInto } from '../support/client/service.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { AFTER, CUTOVER, DAYS, LAST, VERSIONS, writeVersionedDays } from '../worlds/versioned-days.ts';

const place = useFolder();

test('a folder follows into the new version; a database stops before it and says why', {
  timeout: 60_000,
}, async () => {
  await writeVersionedDays(place('source'));
  const store = await openTemporaryStore({ versions: VERSIONS });
  await store.night(place('source'), DAYS[0] ?? '');
  const service = await openService({ store: store.url, versions: VERSIONS });
  onTestFinished(async () => {
    await service.close();
    await store.dispose();
  });
  const [folder, database] = [place('folder'), place('copy.sqlite')];
  for (const day of DAYS) {
    if (day !== DAYS[0]) await service.publish(() => store.night(place('source'), day));
    expect(await syncInto(folder, service.client())).toMatchObject({ snapshot_id: day, warnings: [] });
    expect((await linesOf(folder)).models).toBe((await newestLines(store)).models);
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
  expect((await linesOf(database)).models.split('\n')).toHaveLength(6);
});
