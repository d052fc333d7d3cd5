import { beforeAll, expect, test } from 'vitest';
import { entityIdFromKey, seqFromCursor } from '../../schemas/change.ts';
import { DATASETS, type Dataset } from '../../schemas/datasets.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { downloadText } from '../support/api/downloads.ts';
import { type FeedEvent, pageFeed } from '../support/api/feed.ts';
import { useApi } from '../support/api/use-api.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-04', '2026-06-06', '2026-06-07', '2026-06-08'];
const FED: readonly Dataset[] = [DATASETS.models, DATASETS.scores, DATASETS.rankings, DATASETS.pricing];

const api = useApi({
  days: async (store) => {
    for (const day of DAYS) await store.night(fixtureSource('days'), day);
  },
});
/** Oldest first. */
let snapshots: readonly Manifest[];
/** What is downloaded, by snapshot and dataset. */
let files: ReadonlyMap<string, string>;

beforeAll(async () => {
  snapshots = [...((await api.json('/v1/snapshots'))['snapshots'] as readonly Manifest[])].reverse();
  const downloads = snapshots.flatMap(({ id }) => FED.map(({ name }) => [`${id} ${name}`, id, name] as const));
  files = new Map(await Promise.all(downloads.map(async ([key, ...file]) => [key, await download(...file)] as const)));
});

function download(id: string, dataset: string): Promise<string> {
  return downloadText(api, `/v1/snapshots/${id}/download?dataset=${dataset}`);
}

/** A consumer's copy of a dataset: lines by entity id. */
type Copy = Map<string, string>;

function copyOf(dataset: Dataset, text: string): Copy {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [entityIdFromKey(keyOf(dataset, line)), line]));
}

function keyOf(dataset: Dataset, line: string): readonly string[] {
  const record: Readonly<Record<string, unknown>> = JSON.parse(line);
  return dataset.key.map((part) => String(record[part]));
}

function apply(copy: Copy, { op, entity_id: id, data }: FeedEvent): void {
  if (op === 'delete') copy.delete(id);
  else copy.set(id, JSON.stringify(data));
}

/** The copy as a snapshot has it: by key, in byte order. */
function textOf(dataset: Dataset, copy: Copy): string {
  const byKey = [...copy.values()].map((line) => ({
    key: keyOf(dataset, line).map((part) => Buffer.from(part)),
    line,
  }));
  byKey.sort((a, b) => {
    return a.key.reduce((order, part, i) => order || Buffer.compare(part, b.key[i] ?? Buffer.alloc(0)), 0);
  });
  return byKey.map(({ line }) => `${line}\n`).join('');
}

/** Applies events to copies of a snapshot, or of nothing, and compares at the cursor of each later one. */
function assertReplays(from: number, events: readonly FeedEvent[]): void {
  for (const dataset of FED) {
    const own = events.filter(({ entity_type: type }) => type === dataset.entityType);
    const copy = copyOf(dataset, files.get(`${snapshots[from]?.id} ${dataset.name}`) ?? '');
    let applied = 0;
    for (const { id, change_cursor: cursor } of snapshots.slice(from + 1)) {
      const upTo = seqFromCursor(cursor) ?? 0;
      for (; (own[applied]?.seq ?? Number.POSITIVE_INFINITY) <= upTo; applied += 1)
        apply(copy, own[applied] as FeedEvent);
      expect(textOf(dataset, copy), `${dataset.name} of ${id}`).toBe(files.get(`${id} ${dataset.name}`));
    }
    expect(applied).toBe(own.length);
  }
}

test.each([1000, 3])('the whole feed, in pages of %d, builds every snapshot from nothing', async (limit) => {
  const { events, cursor } = await pageFeed(api, { limit });
  assertReplays(-1, events);
  expect(cursor).toBe(snapshots.at(-1)?.change_cursor);
});

test('the feed from the cursor of each snapshot turns it into all later ones', async () => {
  for (const [from, { change_cursor: cursor }] of snapshots.entries()) {
    const { events } = await pageFeed(api, { cursor, limit: 7 });
    assertReplays(from, events);
  }
});
