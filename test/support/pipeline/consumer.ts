/**
 * A consumer in plain TypeScript, who knows nothing of the pipeline: holds a copy of a snapshot, applies events to it, and
 * writes it down as a snapshot's text.
 */

import { expect } from 'vitest';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import { type Change, ChangeSchema, entityIdFromKey, seqFromCursor } from '../../../schemas/change.ts';
import { DATASET_NAMES, DATASETS, type DatasetName, ENTITY_TYPES, type EntityType } from '../../../schemas/datasets.ts';
import { listReleases, readChanges, readRelease, readSnapshot } from './published.ts';
import type { TemporaryStore } from './temporary-store.ts';

type ConsumerRecord = Readonly<Record<string, unknown>>;

/** A consumer's copy of a dataset, by entity id. */
export type Copy = Map<string, ConsumerRecord>;

/** Replays every snapshot from the one before, and the first from nothing, for every dataset of the feed. */
export async function expectReplay(published: TemporaryStore): Promise<void> {
  const releases = await listReleases(published);
  const events = await readFeed(published, releases);
  for (const [index, next] of releases.entries()) {
    const previous = releases[index - 1];
    const after = previous === undefined ? 0 : await readCursor(published, previous);
    const upTo = await readCursor(published, next);
    const between = events.filter(({ seq }) => seq > after && seq <= upTo);
    expect(between.map(({ occurred_on }) => occurred_on)).toEqual(between.map(() => (next.redated_from ?? next).day));
    for (const entityType of ENTITY_TYPES) {
      const dataset = datasetFromEntityType(entityType);
      const before = previous === undefined ? '' : await readSnapshot(published, previous, dataset);
      const copy = copyFromText(dataset, before);
      const replayed = textFromCopy(dataset, applyEvents(copy, eventsOf(dataset, between)));
      const isSame = replayed === (await readSnapshot(published, next, dataset));
      expect(isSame, `${dataset} from ${previous?.day} to ${next.day}`).toBe(true);
    }
  }
}

/** The whole feed, as `GET /v1/changes` would give it page by page; numbered from 1 without a gap. */
export async function readFeed(
  published: TemporaryStore,
  releases: readonly CatalogEntry[],
): Promise<readonly Change[]> {
  const events: Change[] = [];
  for (const entry of releases) {
    const lines = (await readChanges(published, entry)).split('\n').filter((line) => line !== '');
    events.push(...lines.map((line) => ChangeSchema.parse(JSON.parse(line))));
  }
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  return events;
}

async function readCursor(published: TemporaryStore, entry: CatalogEntry): Promise<number> {
  const { manifest } = await readRelease(published, entry);
  const seq = seqFromCursor(manifest.change_cursor);
  if (seq === undefined) throw new Error(`${entry.day} has no cursor: ${manifest.change_cursor}`);
  return seq;
}

export function eventsOf(dataset: DatasetName, events: readonly Change[]): readonly Change[] {
  return events.filter(({ entity_type }) => entity_type === DATASETS[dataset].entityType);
}

export function copyFromText(dataset: DatasetName, text: string): Copy {
  const records = text.split('\n').slice(0, -1);
  return new Map(records.map((line) => [entityIdOf(dataset, JSON.parse(line)), JSON.parse(line)]));
}

export function applyEvents(copy: Copy, events: readonly Change[]): Copy {
  for (const { op, entity_id, data } of events) {
    if (op === 'delete') expect(copy.delete(entity_id), `${entity_id} is there to be deleted`).toBe(true);
    else copy.set(entity_id, data ?? {});
  }
  return copy;
}

/** A snapshot's text: a record a line, in the byte order of the key's parts. */
export function textFromCopy(dataset: DatasetName, copy: Copy): string {
  const records = [...copy].map(([entityId, record]) => {
    expect(entityIdOf(dataset, record)).toBe(entityId);
    return { key: keyOf(dataset, record).map((part) => Buffer.from(part)), record };
  });
  records.sort((a, b) => compareKeys(a.key, b.key));
  return records.map(({ record }) => `${JSON.stringify(record)}\n`).join('');
}

function compareKeys(a: readonly Buffer[], b: readonly Buffer[]): number {
  for (const [index, part] of a.entries()) {
    const order = Buffer.compare(part, b[index] ?? Buffer.alloc(0));
    if (order !== 0) return order;
  }
  return 0;
}

function keyOf(dataset: DatasetName, record: ConsumerRecord): readonly string[] {
  return DATASETS[dataset].key.map((part) => String(record[part]));
}

function entityIdOf(dataset: DatasetName, record: ConsumerRecord): string {
  return entityIdFromKey(keyOf(dataset, record));
}

/** The dataset whose records an entity type stands for. */
export function datasetFromEntityType(entityType: EntityType): DatasetName {
  const found = DATASET_NAMES.find((name) => DATASETS[name].entityType === entityType);
  if (found === undefined) throw new Error(`no dataset has records of the type ${entityType}`);
  return found;
}
