/** What holds for copies of every kind; each kind runs it. */
import { describe, expect, it } from 'vitest';
import {
  changeCopy,
  linesOf,
  loseScore,
  newestLines,
  stateOf,
  syncInto,
  useService,
  withCopy,
} from '../support/client/service.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** Changes and deletions in every dataset; a benchmark that goes, a model that goes and comes back (fixtures/README.md). */
const DAYS = ['2026-06-01', '2026-06-02', '2026-06-04', '2026-06-07', '2026-06-08'] as const;

export interface CopyKind {
  readonly name: string;
  /** The place of a copy that isn't there yet. */
  readonly newPlace: () => Promise<string>;
}

export function describeCopies(kinds: readonly CopyKind[]): void {
  const service = useService({ days: (store) => store.night(fixtureSource('days'), DAYS[0]) });
  const scratch = useFolder();

  it('copies that follow night by night equal a fresh import, and each snapshot byte for byte', {
    timeout: 120_000,
  }, async () => {
    const places = kinds.flatMap(({ newPlace }) =>
      [false, true].map(async (keepsHistory) => ({ into: await newPlace(), keepsHistory })),
    );
    const followed = await Promise.all(places);
    for (const [index, day] of DAYS.entries()) {
      if (index > 0) await service.publish(({ store }) => store.night(fixtureSource('days'), day));
      const expected = await newestLines(service.api.store);
      for (const { into, keepsHistory } of followed) {
        const { status, warnings } = await syncInto(into, service.client(), { keepsHistory });
        expect([status, warnings], into).toEqual([index === 0 ? 'imported' : 'followed', []]);
        expect(await linesOf(into), into).toEqual(expected);
      }
    }
    for (const { newPlace } of kinds) {
      const fresh = await newPlace();
      await syncInto(fresh, service.client());
      expect(await linesOf(fresh), fresh).toEqual(await newestLines(service.api.store));
      expect((await syncInto(fresh, service.client())).status).toBe('up_to_date');
    }
  });

  describe.each(kinds)('copies in $name', ({ newPlace }) => {
    it('take all of an update or nothing of it', async () => {
      const place = await newPlace();
      await syncInto(place, service.client());
      const before = [await linesOf(place), await withCopy(place, stateOf)];
      const nowhere = { models: '/nowhere/models.jsonl' };
      await expect(changeCopy(place, { replaced: nowhere }, { cursor: 'MA' })).rejects.toThrow();
      expect([await linesOf(place), await withCopy(place, stateOf)]).toEqual(before);
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

    it('are not opened by a second sync, which says so', async () => {
      const place = await newPlace();
      await withCopy(place, async () => {
        await expect(syncInto(place, service.client())).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining('another modelstats sync is writing'),
        });
      });
      expect((await syncInto(place, service.client())).status).toBe('imported');
    });
  });
}
