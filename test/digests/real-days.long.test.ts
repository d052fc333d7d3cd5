/** Eight days as upstreams were, told by digests, and the same counted by a plain program (specification "Digests by email"). */
import { readdirSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestMail } from '../../api/digests/digest-mail.ts';
import { readPeriod } from '../../api/digests/digest-service.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import type { DatasetName, RecordOf } from '../../schemas/datasets.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import { NIGHT_SETTINGS, openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { REAL_DATA } from '../support/real-data.ts';

const isDay = (name: string) => /^\d{4}-\d\d-\d\d$/.test(name);

describe.skipIf(REAL_DATA === undefined)('eight real days', () => {
  const source = REAL_DATA ?? '';
  let store: TemporaryStore;
  let releases: readonly CatalogEntry[];

  beforeAll(async () => {
    store = await openTemporaryStore();
    for (const day of readdirSync(source).filter(isDay).sort().slice(-8))
      await store.night(source, day, { accept: true });
    const { catalog } = await loadCatalog(store.deps.store);
    releases = catalog?.releases ?? [];
  }, 120_000);
  afterAll(() => store.dispose());

  const newsOf = (before: CatalogEntry, after: CatalogEntry) => {
    const deps = { store: store.deps.store, duckdb: NIGHT_SETTINGS.duckdb, workFolder: `${store.folder}/../digests` };
    return readPeriod({ before, after }, { ...deps, clock: () => new Date() });
  };

  async function recordsOf<Name extends DatasetName>(
    release: CatalogEntry,
    name: Name,
  ): Promise<ReadonlyMap<string, RecordOf<Name>>> {
    const object = await store.deps.store.get(releaseKey(release, RELEASE_PATHS.snapshot(name)));
    const lines = gunzipSync(object?.body ?? '')
      .toString()
      .trim()
      .split('\n');
    const records = lines.map((line) => JSON.parse(line));
    return new Map(records.map((record) => [JSON.stringify([record.id ?? record.model_id, record.provider]), record]));
  }

  /** Counts of new and removed models, and of changed prices. */
  async function countPlainly(before: CatalogEntry, after: CatalogEntry) {
    const [old, now] = [await recordsOf(before, 'models'), await recordsOf(after, 'models')];
    const [were, are] = [await recordsOf(before, 'pricing'), await recordsOf(after, 'pricing')];
    const moves = [...are].flatMap(([key, price]) => {
      const was = were.get(key);
      const prices = (of: RecordOf<'pricing'>) => [of.input_per_million, of.output_per_million, of.currency];
      if (was === undefined || JSON.stringify(prices(was)) === JSON.stringify(prices(price))) return [];
      return [JSON.stringify([price.model_id, prices(was), prices(price)])];
    });
    return {
      added: [...now.keys()].filter((key) => !old.has(key)).length,
      removed: [...old.keys()].filter((key) => !now.has(key)).length,
      prices: new Set(moves).size, // Providers of one change share a line.
    };
  }

  test('each night, and the week, has as many changes as a plain comparison of the snapshots finds', async () => {
    expect(releases).toHaveLength(8);
    const [first, last] = [releases[0], releases.at(-1)];
    if (first === undefined || last === undefined) throw new Error('nothing was published');
    const nights = releases.slice(1).map((after, at) => [releases[at] ?? first, after] as const);
    let changes = 0;
    for (const [before, after] of [...nights, [first, last] as const]) {
      const { added, removed, prices } = await newsOf(before, after);
      const counts = { added: added.total, removed: removed.total, prices: prices.total };
      expect(counts, after.day).toEqual(await countPlainly(before, after));
      changes += added.total + removed.total + prices.total;
    }
    expect(changes).toBeGreaterThan(100);
  });

  test('the mail of a week is one that people read: below 30 kB, on lines without control characters', async () => {
    const [first, last] = [releases[0], releases.at(-1)];
    if (first === undefined || last === undefined) throw new Error('nothing was published');
    const { text, subject } = digestMail(
      await newsOf(first, last),
      { personId: 'person_1', email: 'ada@example.com', frequency: 'weekly', organizationId: 'org_1' },
      { publicUrl: 'https://stats.example.com', stop: 'https://stats.example.com/console/digest/stop?token=t' },
    );
    expect(text.length).toBeLessThan(30_000);
    expect(subject.length).toBeLessThan(150);
    expect(`${subject}${text}`).not.toMatch(/[^\P{Cc}\n]/u);
  });
});
