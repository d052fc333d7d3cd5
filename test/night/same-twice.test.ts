import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSourceDays } from '../../pipeline/source/source-folder.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import { listReleases, readChanges, readHistory, readRelease } from '../support/pipeline/published.ts';
import { publishFromFixture } from '../support/pipeline/sample-store.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';

/** The first of the fixture's days; on the last of them rows are bad. */
const DAYS = 5;

describe('the same source, published twice into two stores by other runs at other times', () => {
  let stores: readonly TemporaryStore[];

  beforeAll(async () => {
    stores = [
      await openTemporaryStore(),
      await openTemporaryStore({ runPrefix: 'SECOND', startsAt: '19:07:31.456Z', threads: 2 }),
    ];
    const days = (await listSourceDays(fixtureSource('days'))).slice(0, DAYS);
    for (const store of stores) await publishFromFixture('days', store, days);
  }, 180_000);

  afterAll(async () => {
    for (const store of stores) await store.dispose();
  });

  it('differs in runs and times of publication', async () => {
    const [first, second] = await Promise.all(stores.map(describeRuns));
    expect(first).not.toEqual(second);
    expect(first).toHaveLength(second?.length ?? 0);
  });

  it('gives the same sha256 of every public snapshot file', async () => {
    const [first, second] = await Promise.all(stores.map(describeSnapshots));
    expect(first).toHaveLength(DAYS * DATASET_NAMES.length);
    expect(second).toEqual(first);
  });

  it('gives the same events, with the same numbers, and the same history', async () => {
    for (const read of [readChanges, readHistory]) {
      const [first, second] = await Promise.all(stores.map((store) => readAll(store, read)));
      expect(first).not.toBe('');
      expect(second).toBe(first);
    }
  });
});

async function describeRuns(store: TemporaryStore): Promise<readonly string[]> {
  return (await listReleases(store)).map(({ day, run, published_at }) => `${day} ${run} ${published_at}`);
}

/** Day, name and hash of every snapshot file, as the manifest and as the list of the release's files tell it. */
async function describeSnapshots(store: TemporaryStore): Promise<readonly string[]> {
  const described: string[] = [];
  for (const entry of await listReleases(store)) {
    const { manifest, files } = await readRelease(store, entry);
    for (const { name, sha256, content_sha256 } of manifest.datasets) {
      const file = files.find(({ path }) => path === RELEASE_PATHS.snapshot(name));
      expect(file?.sha256).toBe(sha256);
      described.push(`${entry.day} ${name} ${sha256} ${content_sha256}`);
    }
  }
  return described;
}

async function readAll(store: TemporaryStore, read: typeof readChanges): Promise<string> {
  const texts: string[] = [];
  for (const entry of await listReleases(store)) texts.push(await read(store, entry));
  return texts.join('');
}
