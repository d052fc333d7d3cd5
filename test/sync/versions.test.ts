/** A copy through a notice and a cutover to another version of the records (specification "Record versions"). */
import { expect, onTestFinished, test } from 'vitest';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import { linesOf, newestLines, openService, syncInto } from '../support/client/service.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { versionOneNine } from '../support/schemas/record-versions.ts';
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

test('a database of a program that is older than a minor version goes on without its fields, and says so; a folder takes all', {
  timeout: 60_000,
}, async () => {
  const [before, after] = ['2026-06-01', '2026-06-02'];
  const versions = [...RECORD_VERSIONS.slice(0, 1), versionOneNine(after)];
  const store = await openTemporaryStore({ versions });
  const rows = (n: number) => ({
    models: [{ id: 'm', name: 'M' }],
    benchmarks: [{ id: 'x', name: 'X' }],
    scores: [{ model_id: 'm', benchmark_id: 'x', value: n, n }],
  });
  await store.publish(before, rows(1));
  const service = await openService({ store: store.url, versions });
  onTestFinished(async () => {
    await service.close();
    await store.dispose();
  });
  const [folder, database] = [place('newer'), place('newer.sqlite')];
  for (const into of [folder, database]) await syncInto(into, service.client());
  await service.publish(() => store.publish(after, rows(2)));
  expect(await syncInto(folder, service.client())).toMatchObject({ status: 'followed', warnings: [] });
  const { scores } = await newestLines(store);
  expect(scores).toContain('"value":2,');
  expect(scores).toContain(',"sample_size":2}');
  expect((await linesOf(folder, '1.9')).scores).toBe(scores);
  expect(await syncInto(database, service.client())).toMatchObject({
    status: 'followed',
    snapshot_id: after,
    warnings: [
      "records of version 1.9 have fields that this program doesn't know; they are omitted, and the copy is not verified",
    ],
  });
  expect((await linesOf(database, '1.0')).scores).toBe(scores.replace(',"sample_size":2', ''));
});
