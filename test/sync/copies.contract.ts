/** What holds for copies of every kind; each kind runs it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
import { loseScore } from '../support/client/lose-score.ts';
import { linesOf, syncInto, useFolder, useService, withCopy } from '../support/client/service.ts';
import { listReleases, readSnapshot } from '../support/pipeline/published.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';

const DAYS = [
  '2026-06-01',
  '2026-06-02',
  '2026-06-03',
  '2026-06-04',
  '2026-06-06',
  '2026-06-07',
  '2026-06-08',
] as const;

export interface CopyKind {
  readonly name: string;
  /** The place of a copy that isn't there yet. */
  readonly newPlace: () => Promise<string>;
}

export function describeCopies({ name, newPlace }: CopyKind): void {
  describe(`copies in ${name}`, () => {
    const service = useService({
      days: (store) => store.night(fixtureSource('days'), DAYS[0], { accept: true }),
    });
    const scratch = useFolder();
    const publish = (day: string) =>
      service.publish(({ store }) => store.night(fixtureSource('days'), day, { accept: true }));

    /** The text of each dataset of the newest snapshot, read from the store. */
    async function newestTexts(): Promise<Readonly<Record<string, string>>> {
      const releases = await listReleases(service.api.store);
      const newest = releases.at(-1);
      if (newest === undefined) throw new Error('nothing is published');
      const texts = DATASET_NAMES.map(async (dataset) => [
        dataset,
        await readSnapshot(service.api.store, newest, dataset),
      ]);
      return Object.fromEntries(await Promise.all(texts));
    }

    it('that follow night by night equal a fresh import each night, and the snapshot byte for byte', {
      timeout: 120_000,
    }, async () => {
      const [followed, historic] = [await newPlace(), await newPlace()];
      for (const [index, day] of DAYS.entries()) {
        if (index > 0) await publish(day);
        const { status, warnings } = await syncInto(followed, service.client());
        expect([status, warnings]).toEqual([index === 0 ? 'imported' : 'followed', []]);
        await syncInto(historic, service.client(), { keepsHistory: true });
        const expected = await newestTexts();
        const fresh = await newPlace();
        await syncInto(fresh, service.client());
        for (const place of [followed, historic, fresh]) expect(await linesOf(place)).toEqual(expected);
      }
      expect((await syncInto(followed, service.client())).status).toBe('up_to_date');
    });

    it('take all of an update or nothing of it', async () => {
      const place = await newPlace();
      await syncInto(place, service.client());
      const before = await linesOf(place);
      await withCopy(place, async (copy) => {
        const state = await copy.state();
        if (state === undefined) throw new Error('there is no state');
        const update = {
          replaced: { models: '/nowhere/models.jsonl' },
          upserts: {},
          deletes: {},
          events: undefined,
          dropsEvents: false,
        };
        await expect(copy.update({ ...update, state: { ...state, cursor: 'MA' } })).rejects.toThrow();
        expect(await copy.state()).toEqual(state);
      });
      expect(await linesOf(place)).toEqual(before);
    });

    it('that something else wrote into are found out although nothing is new, imported anew, and right again', async () => {
      const place = await newPlace();
      const client = service.client({ key: await service.addKey({ plan: 'builder' }) });
      await syncInto(place, client);
      const right = await linesOf(place);
      await loseScore(place, scratch('scores.jsonl'));
      const { status, snapshot_id: id, warnings } = await syncInto(place, client);
      const why = `scores no longer equaled snapshot ${id}, as something else wrote into the copy; all was imported anew`;
      expect([status, warnings]).toEqual(['imported', [why]]);
      expect(await linesOf(place)).toEqual(right);
      const { used } = (await client.getAccount()).body.usage;
      expect(await syncInto(place, client)).toMatchObject({ status: 'up_to_date', warnings: [] });
      expect((await client.getAccount()).body.usage.used).toBe(used);
    });

    describe('in use', () => {
      let place: string;
      beforeAll(async () => {
        place = await newPlace();
        await syncInto(place, service.client());
      });

      it('are not opened by a second sync, which says so', async () => {
        await withCopy(place, async () => {
          await expect(syncInto(place, service.client())).rejects.toMatchObject({
            code: 'unavailable',
            message: expect.stringContaining('another modelstats sync is writing'),
          });
        });
        expect((await syncInto(place, service.client())).status).toBe('up_to_date');
      });

      it('have sorted lines whose keys are those of the dataset', async () => {
        const lines = await linesOf(place);
        const counts = DATASET_NAMES.map((dataset: DatasetName) => lines[dataset].split('\n').length - 1);
        expect(Math.min(...counts)).toBeGreaterThan(0);
      });
    });
  });
}
