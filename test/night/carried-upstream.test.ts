import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readStatus } from '../../pipeline/upkeep/status.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import * as faults from '../support/fetch/faults.ts';
import { useTwoUpstreams } from '../support/fetch/two-upstreams.ts';
import { perTest } from '../support/per-test.ts';
import { newFolder } from '../support/temporary-folder.ts';

const place = perTest(() => useTwoUpstreams());

const [FIRST, SECOND, THIRD, FOURTH, FIFTH] = [
  '2026-06-01',
  '2026-06-02',
  '2026-06-03',
  '2026-06-04',
  '2026-06-05',
] as const;
const PATH = RELEASE_PATHS.fetched('mall.json');

/** Breaks the mall for so many nights, each of which tries three times. */
const breakMall = (nights: number) => place.mall.break('/mall.json', ...Array(3 * nights).fill(faults.status(503)));
const storedFile = async () => join(place.store.folder, releaseKey((await place.newest()).release, PATH));

// Each of their nights starts a process, for which a busy machine takes its time.
describe('an upstream that is down for days', { timeout: 180_000 }, () => {
  test('has its records carried from the store alone, without points, while others go on, until it is back', async () => {
    expect((await place.night(FIRST)).problems).toEqual([]);
    breakMall(2);
    for (const [index, day] of [SECOND, THIRD].entries()) {
      place.shop.serve('/shop.json', { a: 2 + index, b: 2 });
      // No night needs the work folder of another.
      const result = await place.night(day, { workFolder: await newFolder() });
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
      const sources = release.manifest.datasets.map(({ name, terms }) => [name, terms?.map(({ source }) => source)]);
      expect(Object.fromEntries(sources)).toMatchObject({ models: ['mall', 'shop'], pricing: ['mall', 'shop'] });
      const rows = { shop: { rows: 2, day }, mall: { rows: 2, day: FIRST } };
      expect(release.upstream_rows).toEqual({ models: rows, pricing: rows });
      expect(release.fetched?.[1]).toMatchObject({
        status: 'carried',
        fetched_at: `${FIRST}T00:05:00Z`,
        problem: expect.stringMatching(/responded with 503/),
        failed_since: SECOND,
      });
      expect(withoutPoints(open)).toEqual(['models b', 'models c', 'pricing b:mall', 'pricing c:mall']);
    }
    const status = await readStatus(place.store.deps.store, { ...place.store.deps, expectedDay: undefined });
    expect(status.missing_files).toMatchObject([{ upstream: 'mall', file: 'mall.json', since: SECOND }]);

    const stored = await storedFile();
    await writeFile(stored, 'other');
    expect((await place.verifyAll()).problems).toEqual([{ snapshot: THIRD, message: expect.stringContaining(PATH) }]);
    await place.store.republish(THIRD);
    expect(await readFile(stored, 'utf8')).toBe('{"b":5,"c":7}');

    place.mall.serve('/mall.json', { b: 5, c: 8 });
    await place.night(FOURTH);
    const { release, changes, open } = await place.newest();
    expect(release.fetched?.[1]).toMatchObject({ status: 'fetched', failed_since: null });
    expect(JSON.parse(changes)).toMatchObject({ entity_id: 'c:mall', op: 'upsert' });
    expect(withoutPoints(open)).toEqual([]);
    expect(await place.verifyAll()).toMatchObject({ ok: true, snapshots: 4 });
  });

  test('loses no record, however large: its file comes from the store, else from the archive, or what reads it is not captured', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`m${index}`, 1]));
    place.shop.serve('/shop.json', many);
    place.mall.serve('/mall.json', many);
    await place.night(FIRST);
    place.mall.serve('/mall.json', { ...many, d: 9 });
    await place.night(SECOND, { workFolder: await newFolder() });

    // The archive of this machine missed a night; the store has its file.
    const unchanged = { status: 'published', events: { upsert: 0, delete: 0 } };
    breakMall(3);
    expect(await place.night(THIRD)).toMatchObject(unchanged);
    expect((await place.newest()).pricing).toHaveLength(41);

    await rm(await storedFile());
    const why =
      /^mall\.json of mall could not be fetched from http.*: .* responded with 503 .*, and source\.sql reads it$/;
    const problems = [expect.stringMatching(why), expect.stringMatching(/nothing could be captured$/)];
    const elsewhere = { workFolder: await newFolder() };
    expect(await place.night(FOURTH, elsewhere)).toMatchObject({ status: 'rejected', problems });
    expect(await place.night(FOURTH)).toMatchObject(unchanged);

    place.mall.serve('/mall.json', {});
    const { status, problems: holds } = await place.night(FIFTH);
    expect(status).toBe('held');
    expect(holds).toContain('models of mall would shrink from 21 to 0 rows (by 100 %); at most 30 % may be lost');
  });
});

/** The records in force without a point on the newest day. */
function withoutPoints(open: readonly Record<string, unknown>[]): readonly string[] {
  return open
    .filter(({ valid_from }) => valid_from === null)
    .map(({ dataset, key }) => `${dataset} ${[key].flat().join(':')}`)
    .sort();
}
