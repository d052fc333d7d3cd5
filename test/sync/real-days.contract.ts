/** A copy that follows the real days; each kind of copy runs it. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import type { Day } from '../../schemas/day.ts';
import { linesOf, openService, syncInto } from '../support/client/service.ts';
import { listReleases, readSnapshot } from '../support/pipeline/published.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { REAL_DATA } from '../support/real-data.ts';
import type { CopyKind } from './copies.contract.ts';

/** How many of the real days are followed, spread over the year; REAL_DAYS=335 follows all, some hours of work on a small machine. */
const COUNT = Number(process.env['REAL_DAYS'] ?? 4);

function chosenDays(folder: string): readonly Day[] {
  const all = readdirSync(folder)
    .filter((name) => /^\d{4}-\d{2}-\d{2}$/.test(name))
    .sort();
  return all.filter(
    (_, index) => Math.floor((index * COUNT) / all.length) !== Math.floor(((index - 1) * COUNT) / all.length),
  );
}

export function describeRealDays(kinds: readonly CopyKind[]): void {
  describe.skipIf(REAL_DATA === undefined)('copies of the real days', () => {
    const names = kinds.map(({ name }) => name).join(', ');
    test(`in ${names} equal each snapshot byte for byte, followed or new`, { timeout: 14_400_000 }, async () => {
      await followDays(REAL_DATA ?? '', kinds);
    });
  });
}

async function followDays(folder: string, kinds: readonly CopyKind[]): Promise<void> {
  const newPlaces = () => Promise.all(kinds.map(({ newPlace }) => newPlace()));
  const store = await openTemporaryStore();
  const [first = '', ...rest] = chosenDays(folder);
  await store.night(folder, first, { accept: true });
  const service = await openService({ store: store.url });
  const followed = await newPlaces();
  for (const [index, day] of [first, ...rest].entries()) {
    if (index > 0) await service.publish(() => store.night(folder, day, { accept: true }));
    // A new copy each time would take most of the time; some are as good.
    const isCompared = index % 10 === 0 || index === rest.length;
    for (const into of [...followed, ...(isCompared ? await newPlaces() : [])]) {
      expect(await syncInto(into, service.client()), day).toMatchObject({ snapshot_id: day, warnings: [] });
      await expectNewest(store, into);
    }
  }
  await service.close();
  await store.dispose();
}

/** A copy's lines are those of the newest snapshot, read from the store. */
async function expectNewest(store: TemporaryStore, into: string): Promise<void> {
  const newest = (await listReleases(store)).at(-1);
  if (newest === undefined) throw new Error('nothing is published');
  const lines = await linesOf(into);
  for (const dataset of DATASET_NAMES) {
    const isEqual = lines[dataset] === (await readSnapshot(store, newest, dataset));
    expect(isEqual, `${dataset} of ${into} on ${newest.day}`).toBe(true);
  }
}
