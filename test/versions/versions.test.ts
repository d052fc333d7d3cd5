/**
 * A second major version of the records (specification "Record versions"): both are written through the notice, and at the
 * cutover the feed carries every consumer over, byte for byte.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cursorFromSeq } from '../../schemas/change.ts';
import { DATASET_NAMES, ENTITY_TYPES } from '../../schemas/datasets.ts';
import { versionInForce } from '../../schemas/record-versions.ts';
import { recordSchema } from '../../schemas/records.ts';
import { manifestsOf } from '../../schemas/release.ts';
import {
  applyEvents,
  copyFromText,
  datasetFromEntityType,
  eventsOf,
  expectReplay,
  readFeed,
  textFromCopy,
} from '../support/pipeline/consumer.ts';
import {
  entryOfDay,
  listReleaseKeys,
  listReleases,
  readLines,
  readRelease,
  readSnapshot,
} from '../support/pipeline/published.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { useFolder } from '../support/temporary-folder.ts';
import {
  AFTER,
  BEFORE,
  CUTOVER,
  DAYS,
  LAST,
  NOTICE,
  publishVersionedDays,
  VERSIONS,
  writeVersionedDays,
} from '../worlds/versioned-days.ts';

const source = useFolder();
let store: TemporaryStore;
/** The same days, published by a program that knows 1.0 alone. */
let plain: TemporaryStore;

beforeAll(async () => {
  await writeVersionedDays(source());
  [store, plain] = [await openTemporaryStore({ versions: VERSIONS }), await openTemporaryStore()];
  await Promise.all([publishVersionedDays(store, source()), publishVersionedDays(plain, source())]);
});
afterAll(() => Promise.all([store.dispose(), plain.dispose()]));

const entryOf = (day: string, of = store) => entryOfDay(of, day);
const releaseOf = async (day: string, of = store) => readRelease(of, await entryOf(day, of));
const eventsOn = async (day: string) =>
  (await readFeed(store, await listReleases(store))).filter(({ occurred_on }) => occurred_on === day);

describe('the snapshots', () => {
  it('are listed in both versions through the notice, in one before and after', async () => {
    const manifests = (await Promise.all(DAYS.map((day) => releaseOf(day)))).map(manifestsOf);
    const named = (all: ReturnType<typeof manifestsOf>) =>
      all.map(({ id, schema_version, prev_id }) => `${id} ${schema_version} after ${prev_id}`);
    expect(manifests.map(named)).toEqual([
      ['2026-03-31 1.0 after null'],
      ['2026-04-01 1.0 after 2026-03-31', '2026-04-01-v2 2.0 after null'],
      ['2026-04-30 1.0 after 2026-04-01', '2026-04-30-v2 2.0 after 2026-04-01-v2'],
      ['2026-05-01 2.0 after 2026-04-30'],
      ['2026-05-02 2.0 after 2026-05-01'],
    ]);
  });

  it('of a notice have the same cursor and times in both versions', async () => {
    const [inForce, noticed] = manifestsOf(await releaseOf(NOTICE));
    expect(noticed).toMatchObject({
      published_at: inForce?.published_at,
      data_as_of: inForce?.data_as_of,
      change_cursor: cursorFromSeq((await entryOf(NOTICE)).last_seq),
    });
    expect(noticed?.datasets.map(({ name, records }) => [name, records])).toEqual(
      inForce?.datasets.map(({ name, records }) => [name, records]),
    );
  });

  it('of a notice lie beside each other, and nothing else is new in the release', async () => {
    const added = ['manifest.json', ...DATASET_NAMES.map((name) => `${name}.jsonl.gz`)].map((n) => `snapshot/v2/${n}`);
    const before = await listReleaseKeys(store, await entryOf(BEFORE));
    expect(await listReleaseKeys(store, await entryOf(NOTICE))).toEqual([...before, ...added].sort());
    expect(await listReleaseKeys(store, await entryOf(CUTOVER))).toEqual(before);
    expect((await releaseOf(NOTICE)).files.map(({ path }) => path)).toEqual(expect.arrayContaining(added));
  });

  it('name the version in force in everything that says one', async () => {
    for (const entry of await listReleases(store)) {
      const { version } = versionInForce(VERSIONS, entry.day);
      const { schema_version, manifest } = await readRelease(store, entry);
      expect([entry.schema_version, schema_version, manifest.schema_version]).toEqual([version, version, version]);
    }
  });
});

describe('the feed', () => {
  it('gives every snapshot from the one before, byte for byte, across the cutover', () => expectReplay(store));

  it('carries a consumer over who took the second version during the notice', async () => {
    const [last, cutover, after] = [await entryOf(LAST), await entryOf(CUTOVER), await entryOf(AFTER)];
    const events = (await readFeed(store, await listReleases(store))).filter(({ seq }) => seq > last.last_seq);
    for (const [upTo, target] of [
      [cutover.last_seq, cutover],
      [after.last_seq, after],
    ] as const) {
      for (const entityType of ENTITY_TYPES) {
        const dataset = datasetFromEntityType(entityType);
        const copy = copyFromText(dataset, await readLines(store, last, `snapshot/v2/${dataset}.jsonl.gz`));
        const between = eventsOf(dataset, events).filter(({ seq }) => seq <= upTo);
        expect(textFromCopy(dataset, applyEvents(copy, between))).toBe(await readSnapshot(store, target, dataset));
      }
    }
  });

  it('has every record at the cutover: first what changed, then what did not', async () => {
    const events = await eventsOn(CUTOVER);
    const upserts = (type: string, ...ids: readonly string[]) => ids.map((id) => `upsert ${type} ${id}`);
    expect(events.map(({ op, entity_type, entity_id }) => `${op} ${entity_type} ${entity_id}`)).toEqual([
      ...['delete pricing gone:shop:eu', 'delete ranking gone:general', 'delete score gone:x', 'delete model gone'],
      ...['upsert model new', 'upsert score moved:x', 'upsert score new:x'],
      ...upserts('model', 'bad', 'idle', 'moved', 'same'),
      ...upserts('score', 'bad:x', 'idle:x', 'same:x'),
      ...upserts('ranking', 'idle:general', 'moved:general', 'same:general'),
      ...upserts('pricing', 'idle:shop:eu', 'moved:shop:eu', 'same:shop:eu'),
    ]);
    const release = await releaseOf(CUTOVER);
    expect(release.first_renewal_seq).toBe(events.find(({ entity_id }) => entity_id === 'bad')?.seq);
    expect(release.events).toEqual({ upsert: 16, delete: 4 });
  });

  it('has only what changed on every other day', async () => {
    for (const day of DAYS.filter((candidate) => candidate !== CUTOVER)) {
      expect((await releaseOf(day)).events).toEqual((await releaseOf(day, plain)).events);
      expect(await releaseOf(day)).not.toHaveProperty('first_renewal_seq');
    }
    expect((await eventsOn(AFTER)).map(({ entity_id }) => entity_id)).toEqual(['moved:x', 'moved:shop:eu']);
  });

  it('has data in the version in force on the day, which every event names', async () => {
    for (const { occurred_on, entity_type, data, schema_version } of await readFeed(store, await listReleases(store))) {
      const { version, datasets } = versionInForce(VERSIONS, occurred_on);
      expect(schema_version).toBe(version);
      const dataset = datasetFromEntityType(entity_type);
      if (data !== null) expect(recordSchema(dataset, datasets[dataset]).safeParse(data).error).toBeUndefined();
    }
  });
});

describe('a change of version', () => {
  /** Size and hash of the files of a release that its lines are not in. */
  const inner = async (day: string, of: TemporaryStore) =>
    (await releaseOf(day, of)).files.filter(({ path }) => /^(state|history)\//.test(path));

  it('changes neither history nor state nor updated_at: all is as in a store without it', async () => {
    for (const day of DAYS) expect(await inner(day, store)).toEqual(await inner(day, plain));
  });
});
