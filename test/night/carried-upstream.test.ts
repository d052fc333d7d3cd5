import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readStatus } from '../../pipeline/upkeep/status.ts';
import { addDays } from '../../runtime/day.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import * as faults from '../support/fetch/faults.ts';
import { type TwoUpstreams, useTwoUpstreams } from '../support/fetch/two-upstreams.ts';

let place: TwoUpstreams;
beforeEach(async () => {
  place = await useTwoUpstreams();
});

const FIRST = '2026-06-01';

describe('an upstream that is down for days', () => {
  test('has its records carried, without points, while others go on; everything says since when', async () => {
    expect((await place.night(FIRST)).problems).toEqual([]);
    place.mall.breakForGood('/mall.json', faults.status(503));
    for (let days = 1; days <= 3; days += 1) {
      place.shop.serve('/shop.json', { a: 1 + days, b: 2 });
      const day = addDays(FIRST, days);
      const result = await place.night(day);
      expect(result).toMatchObject({
        status: 'published',
        records: { models: 3, pricing: 4 },
        events: { upsert: 1, delete: 0 },
        quarantined: 0,
        warnings: expect.arrayContaining([
          expect.stringMatching(/^mall\.json of mall could not be fetched from .*; records of mall are carried$/),
        ]),
      });
      const { release, open } = await place.newest();
      expect(release.captured).toEqual(['models', 'pricing']);
      const rows = { shop: { rows: 2, day }, mall: { rows: 2, day: FIRST } };
      expect(release.upstream_rows).toEqual({ models: rows, pricing: rows });
      expect(release.fetched?.[1]).toMatchObject({
        status: 'carried',
        fetched_at: `${FIRST}T00:05:00Z`,
        problem: expect.stringMatching(/answered 503/),
        failed_since: addDays(FIRST, 1),
      });
      expect(withoutPoints(open)).toEqual(['models b', 'models c', 'pricing b:mall', 'pricing c:mall']);
    }
    const status = await readStatus(place.store.deps.store, { ...place.store.deps, expectedDay: undefined });
    expect(status.missing_files).toMatchObject([{ upstream: 'mall', file: 'mall.json', since: addDays(FIRST, 1) }]);
  });

  test('is no loss, however large: not of its own rows, nor of those that others have a part in', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`m${index}`, 1]));
    place.shop.serve('/shop.json', many);
    place.mall.serve('/mall.json', many);
    await place.night(FIRST);
    place.mall.break('/mall.json', ...Array(3).fill(faults.cutOff));
    expect(await place.night(addDays(FIRST, 1))).toMatchObject({
      status: 'published',
      events: { upsert: 0, delete: 0 },
    });
    place.mall.serve('/mall.json', {});
    expect(await place.night(addDays(FIRST, 2))).toMatchObject({
      status: 'held',
      problems: expect.arrayContaining([
        'models of mall would shrink from 20 to 0 rows (by 100 %); at most 30 % may go',
      ]),
    });
  });

  test('is captured again when it is back: what changed is an event, the rest has points again', async () => {
    await place.night(FIRST);
    place.mall.break('/mall.json', ...Array(3).fill(faults.cutOff));
    await place.night(addDays(FIRST, 1));
    place.mall.serve('/mall.json', { b: 5, c: 8 });
    await place.night(addDays(FIRST, 2));
    const { release, changes, open } = await place.newest();
    expect(release.fetched?.[1]).toMatchObject({ status: 'fetched', failed_since: null });
    expect(JSON.parse(changes)).toMatchObject({ entity_id: 'c:mall', op: 'upsert' });
    expect(withoutPoints(open)).toEqual([]);
    expect(await place.verifyAll()).toMatchObject({ ok: true, snapshots: 3 });
  });

  test('is carried from the store alone: no night needs the work folder of another', async () => {
    await place.night(FIRST);
    place.mall.breakForGood('/mall.json', faults.status(503));
    for (const day of [addDays(FIRST, 1), addDays(FIRST, 2)]) {
      const workFolder = await place.newFolder();
      expect(await place.night(day, { workFolder })).toMatchObject({
        status: 'published',
        records: { models: 3, pricing: 4 },
        events: { upsert: 0, delete: 0 },
      });
      const { release, open } = await place.newest();
      expect(release.fetched?.[1]).toMatchObject({ status: 'carried', fetched_at: `${FIRST}T00:05:00Z` });
      expect(withoutPoints(open)).toEqual(['models b', 'models c', 'pricing b:mall', 'pricing c:mall']);
    }
    expect(await place.verifyAll()).toMatchObject({ ok: true, snapshots: 3 });
  });

  test('has its file carried from the store rather than from the archive of a machine that missed a night', async () => {
    const workFolder = await place.newFolder();
    await place.night(FIRST);
    place.mall.serve('/mall.json', { b: 5, c: 7, d: 9 });
    await place.night(addDays(FIRST, 1), { workFolder });
    place.mall.breakForGood('/mall.json', faults.status(503));
    expect(await place.night(addDays(FIRST, 2))).toMatchObject({
      status: 'published',
      events: { upsert: 0, delete: 0 },
    });
    expect((await place.newest()).pricing).toHaveLength(5);
  });

  test('loses no record where the store has no file of it: it is carried from the archive, or what reads it is not captured', async () => {
    await place.night(FIRST);
    const { release } = await place.newest();
    await rm(join(place.store.folder, releaseKey(release, RELEASE_PATHS.fetched('mall.json'))));
    place.mall.breakForGood('/mall.json', faults.status(503));
    const workFolder = await place.newFolder();
    const why = /^mall\.json of mall could not be fetched from http.*: .* answered 503 .*, and source\.sql reads it$/;
    expect(await place.night(addDays(FIRST, 1), { workFolder })).toMatchObject({
      status: 'rejected',
      problems: [expect.stringMatching(why), expect.stringMatching(/nothing could be captured$/)],
    });
    expect(await place.night(addDays(FIRST, 1))).toMatchObject({
      status: 'published',
      events: { upsert: 0, delete: 0 },
    });
  });
});

/** The records in force without a point on the newest day. */
function withoutPoints(open: readonly Record<string, unknown>[]): readonly string[] {
  return open
    .filter(({ valid_from }) => valid_from === null)
    .map(({ dataset, key }) => `${dataset} ${[key].flat().join(':')}`)
    .sort();
}
