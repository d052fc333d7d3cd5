import { readdir } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Day } from '../../../runtime/day.ts';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import type { DatasetName } from '../../../schemas/datasets.ts';
import { loadCatalog, swapCatalog } from '../../../storage/catalog.ts';
import { RELEASE_PATHS, releaseKey } from '../../../storage/keys.ts';
import { listReleases } from '../../../test/support/pipeline/published.ts';
import { openStoreFiles, type StoreFiles } from '../../../test/support/pipeline/store-files.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { dyingDatabase, Killed } from '../../../test/support/webhooks/dying-database.ts';
import { openPublisher, workFolderOf } from '../../../test/support/webhooks/publisher.ts';
import { addSubscriber, readTold, type Told } from '../../../test/support/webhooks/subscribers.ts';
import { ODD_ID, publishSmallDays } from '../../../test/worlds/small-days.ts';
import type { ControlDatabase } from '../../database/control-database.ts';
import { openDatabase } from '../../database/open-database.ts';
import type { Filters } from '../endpoints/filters.ts';
import type { Topic } from '../topics/topics.ts';

/** The first night was published on the morning of this day. */
const FIRST_PUBLISHED = '2026-06-02T00:20:00Z';
/** After every claim that a test has seen. */
const LATER = () => new Date('2026-06-10T13:00:00Z');

const price = (...[modelId, provider, change, seq, more]: [string, string, string, number, object?]) => ({
  topic: 'pricing.updated',
  data: { model_id: modelId, provider, change, ...more, seq },
});
const rate = (meter: string, from: number, to: number) => ({
  meter,
  unit: 'token',
  per: 1_000_000,
  from,
  to,
  change_percent: 16.6666666667,
});
const score = (modelId: string, benchmarkId: string, seq: number) => ({
  topic: 'score.updated',
  data: { model_id: modelId, benchmark_id: benchmarkId, seq },
});
const ranking = (categoryId: string, changed: number, [first_seq, seq]: readonly [number, number]) => ({
  topic: 'ranking.updated',
  data: { category_id: categoryId, changed, first_seq, seq },
});
const snapshot = (day: string, cursor: string, seq: number) => ({
  topic: 'snapshot.published',
  data: { snapshot_id: day, data_as_of: `${day}T23:59:59Z`, schema_version: '1.0', change_cursor: cursor, seq },
});
const CREATED = { topic: 'model.created', data: { model_id: 'gone', seq: 23 } };
const SCORES = [score('a', 'code', 18), score('gone', 'code', 24)];
const PRICES = [
  price('gone', 'p1', 'provider_removed', 19),
  price('gone', 'p1', 'provider_added', 28),
  price('a', 'p1', 'price', 29, { rates: [rate('input', 3, 3.5), rate('output', 6, 7)], rates_changed: 2 }),
];
const RANKINGS = [ranking('code', 1, [20, 20]), ranking('general', 3, [25, 27])];
const SNAPSHOTS = [
  snapshot('2026-06-02', 'MTg', 18),
  snapshot('2026-06-03', 'MjI', 22),
  snapshot('2026-06-04', 'MjI', 22),
  snapshot('2026-06-06', 'Mjg', 28),
  snapshot('2026-06-07', 'Mjk', 29),
];
/** What these tests know the events of; `test/webhook-events` compares those of every topic with a second implementation. */
const SUBSCRIBED_TOPICS = [
  'model.created',
  'model.updated',
  'score.updated',
  'ranking.updated',
  'pricing.updated',
  'snapshot.published',
] as const satisfies readonly Topic[];
/** What the nights after the first have to tell of {@link SUBSCRIBED_TOPICS}, by topic, then seq. */
const ALL: readonly Omit<Told, 'endpoint'>[] = [CREATED, ...PRICES, ...RANKINGS, ...SCORES, ...SNAPSHOTS];

/** What turning releases into events keeps on every control database; `another` makes an empty one and gives its address. */
export function describeEvents(name: string, another: () => Promise<string>): void {
  describe(`events on ${name}`, () => {
    let store: TemporaryStore;
    let control: ControlDatabase;
    beforeAll(async () => {
      store = await openTemporaryStore();
      await publishSmallDays(store);
    }, 180_000);
    beforeEach(async () => {
      control = await openDatabase(await another());
    });
    afterEach(() => control.close());
    afterAll(() => store?.dispose());

    const receivedBy = async (endpoint: string) =>
      (await readTold(control))
        .filter((received) => received.endpoint === endpoint)
        .map(({ topic, data }) => ({ topic, data }));
    const openFiles = async (folder?: string) => {
      const files = await openStoreFiles(folder);
      onTestFinished(() => files.dispose());
      return files;
    };
    const poll = (more: Parameters<typeof openPublisher>[2] = {}) =>
      openPublisher(store, control, more).publisher.poll();

    /** A publisher whose database does something before one of its transactions. */
    const openBusy = (transaction: number, work: () => unknown) =>
      openPublisher(
        store,
        dyingDatabase(control, {
          after: 0,
          onTransaction: async (count) => void (count === transaction && (await work())),
        }),
      );

    it('each change of a night is told once, by its topic, and nothing else', async () => {
      await addSubscriber(control, 'all', { topics: SUBSCRIBED_TOPICS });
      expect(await poll()).toBe('published');
      expect(await receivedBy('all')).toEqual(ALL);
      expect(await poll()).toBe('idle');
      expect(await readdir(workFolderOf(store.folder))).toEqual([]);
    });

    it('of the events of a night each endpoint gets those that its filters let pass', async () => {
      const cases: Readonly<Record<string, readonly [Filters, readonly object[]]>> = {
        'prices and ranks that rise': [
          { direction: 'up', meters: ['output'] },
          [...PRICES.slice(2), ...RANKINGS.slice(1)],
        ],
        'those of a model': [{ direction: 'up', models: ['a'] }, PRICES.slice(2)],
        'a model that falls, from the top': [{ direction: 'down', models: ['a'], max_rank: 1 }, RANKINGS.slice(1)],
        'no price of a meter that none has': [{ meters: ['search'] }, RANKINGS],
        'no prices that came and went, or moved less, with a percentage': [{ min_change_percent: 17 }, RANKINGS],
        'prices that moved as much': [{ min_change_percent: 16 }, [...PRICES.slice(2), ...RANKINGS]],
      };
      for (const [id, [filters]] of Object.entries(cases))
        await addSubscriber(control, id, { topics: ['pricing.updated', 'ranking.updated'], filters });
      expect(await poll()).toBe('published');
      for (const [id, [, expected]] of Object.entries(cases)) expect(await receivedBy(id), id).toEqual(expected);
    });

    it.each<[string, Readonly<Record<string, unknown>>, string]>([
      ['a filter', { providers: ['p1'], continents: ['europe'] }, 'continents'],
      ['a value of a filter', { providers: ['p1'], meters: ['output', 'thought'] }, 'meters'],
    ])('%s of a newer version costs only its own endpoint the events, and is reported', async (_, filters, unknown) => {
      await addSubscriber(control, 'newer', { topics: ['pricing.updated'], filters });
      await addSubscriber(control, 'one', { topics: ['pricing.updated'] });
      const { publisher, events } = openPublisher(store, control);
      expect(await publisher.poll()).toBe('published');
      expect(await receivedBy('one')).toEqual(PRICES);
      expect(await receivedBy('newer')).toEqual([]);
      const published = events.filter(({ type }) => type === 'published');
      expect(published.length).toBeGreaterThan(0);
      for (const event of published)
        expect(event).toMatchObject({ skipped: [{ endpointId: 'newer', unknownFilters: [unknown] }] });
    });

    it('events say when they were published, and wait to be delivered at once', async () => {
      await addSubscriber(control, 'one', { topics: ['model.created'] });
      await poll();
      const [event, ...others] = await control.kysely.selectFrom('webhook_events').selectAll().execute();
      expect(others).toEqual([]);
      expect(event).toMatchObject({ endpoint_id: null, occurred_at: Date.parse('2026-06-07T00:20:00Z'), seq: 23 });
      const now = Date.parse('2026-06-10T12:00:00Z');
      expect(await control.kysely.selectFrom('webhook_deliveries').selectAll().execute()).toEqual([
        {
          id: expect.stringMatching(/^dlv_[0-9A-HJKMNP-TV-Z]{26}$/),
          event_id: event?.id,
          endpoint_id: 'one',
          kind: 'event',
          state: 'waiting',
          attempts: 0,
          due_at: now,
          claimed_by: null,
          created_at: now,
          finished_at: null,
        },
      ]);
      expect(event?.id).toMatch(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/);
    });

    it('an event that many are told is kept once', async () => {
      for (const id of ['one', 'two', 'three']) await addSubscriber(control, id, { topics: ['score.updated'] });
      await poll();
      expect(await control.kysely.selectFrom('webhook_events').select('seq').orderBy('seq').execute()).toEqual([
        { seq: 18 },
        { seq: 24 },
      ]);
      expect(await readTold(control)).toHaveLength(6);
    });

    it('whoever was not active when a release was published is not told of it', async () => {
      await addSubscriber(control, 'early', { since: FIRST_PUBLISHED, topics: ['snapshot.published'] });
      await addSubscriber(control, 'at', { since: '2026-06-05T00:20:00Z', topics: ['snapshot.published'] });
      await addSubscriber(control, 'after', { since: '2026-06-05T00:20:00.001Z', topics: ['snapshot.published'] });
      for (const state of ['registered', 'revoked', 'suspended', 'removed'] as const)
        await addSubscriber(control, state, { state });
      await poll();
      expect(await receivedBy('early')).toEqual(SNAPSHOTS);
      expect(await receivedBy('at')).toEqual(SNAPSHOTS.slice(2));
      expect(await receivedBy('after')).toEqual(SNAPSHOTS.slice(3));
      expect(new Set((await readTold(control)).map(({ endpoint }) => endpoint))).toEqual(
        new Set(['early', 'at', 'after']),
      );
    });

    it('what an endpoint misses lies in its log as dropped, by its filters, so that it can be sent again', async () => {
      await addSubscriber(control, 'revoked', { state: 'revoked', topics: ['score.updated'] });
      await addSubscriber(control, 'digest', { state: 'registered', mode: 'digest', topics: ['pricing.updated'] });
      await addSubscriber(control, 'newer', {
        state: 'registered',
        since: '2026-06-06T00:00:00Z',
        topics: ['score.updated'],
      });
      for (const state of ['suspended', 'removed'] as const) await addSubscriber(control, state, { state });
      await addSubscriber(control, 'active', { topics: ['model.created'] });
      await poll();
      expect(await readTold(control)).toMatchObject([{ endpoint: 'active' }]);
      const now = Date.parse('2026-06-10T12:00:00Z');
      const dropped = await control.kysely
        .selectFrom('webhook_deliveries')
        .innerJoin('webhook_events', 'webhook_events.id', 'event_id')
        .select(['webhook_deliveries.endpoint_id as endpoint', 'topic', 'seq', 'attempts', 'finished_at'])
        .where('state', '=', 'dropped')
        .orderBy('webhook_deliveries.endpoint_id')
        .orderBy('seq')
        .execute();
      const seqsOf = (id: string) => dropped.filter(({ endpoint }) => endpoint === id).map(({ seq }) => seq);
      expect(seqsOf('revoked')).toEqual(SCORES.map(({ data }) => (data as { readonly seq: number }).seq));
      expect(new Set(dropped.map(({ endpoint }) => endpoint))).toEqual(new Set(['revoked', 'digest', 'newer']));
      expect(seqsOf('newer').length).toBeLessThan(seqsOf('revoked').length);
      expect(dropped.every((row) => row.attempts === 0 && row.finished_at === now)).toBe(true);
    });

    it('whoever leaves active while a night is told is told no more of it', async () => {
      await addSubscriber(control, 'leaves', { topics: SUBSCRIBED_TOPICS });
      const leave = () => control.kysely.updateTable('webhook_endpoints').set({ state: 'revoked' }).execute();
      await openBusy(3, leave).publisher.poll();
      expect(await receivedBy('leaves')).toEqual([score('a', 'code', 18), SNAPSHOTS[0]]);
    });

    it('the first look begins with what was published since the first endpoint became active', async () => {
      await addSubscriber(control, 'late', { since: '2026-06-05T10:00:00Z' });
      const { publisher, events } = openPublisher(store, control);
      expect(await publisher.poll()).toBe('published');
      expect(events[0]).toEqual({ type: 'begun', day: '2026-06-04' });
      expect(await receivedBy('late')).toEqual([
        CREATED,
        ...PRICES.slice(1),
        RANKINGS[1],
        SCORES[1],
        ...SNAPSHOTS.slice(3),
      ]);
    });

    it('the first look tells nothing where nobody listens, and later looks go on from there', async () => {
      expect(await poll()).toBe('idle');
      await addSubscriber(control, 'late', { topics: SUBSCRIBED_TOPICS });
      expect(await poll()).toBe('idle');
      expect(await readTold(control)).toEqual([]);
    });

    it('an empty store has nothing to tell, and the first release of a store is never told', async () => {
      await addSubscriber(control, 'all', { topics: SUBSCRIBED_TOPICS });
      const files = await openFiles();
      const { publisher } = openPublisher(store, control, { store: files.store });
      expect(await publisher.poll()).toBe('idle');
      await copyCatalog(store, files, 1);
      expect(await publisher.poll()).toBe('idle');
      expect(await readTold(control)).toEqual([]);
      expect(await poll()).toBe('published');
      expect(await receivedBy('all')).toEqual(ALL);
    });

    it("another store's catalog and an older copy of the catalog are refused, and nothing is told", async () => {
      const files = await openFiles();
      await poll();
      await addSubscriber(control, 'all', { topics: SUBSCRIBED_TOPICS });
      const { publisher } = openPublisher(store, control, { store: files.store });
      await copyCatalog(store, files, 4);
      await expect(publisher.poll()).rejects.toMatchObject({
        code: 'corrupt',
        message: expect.stringContaining('webhooks reported 2026-06-07 and all changes up to 29'),
      });
      await copyCatalog(store, files, 6, { release_sha256: '0'.repeat(64) });
      await expect(publisher.poll()).rejects.toMatchObject({
        code: 'corrupt',
        message: expect.stringContaining('has other releases'),
      });
      expect(await readTold(control)).toEqual([]);
      await copyCatalog(store, files, 6);
      expect(await publisher.poll()).toBe('idle');
    });

    it('releases of more than thirty days ago are passed over, and said to be', async () => {
      await addSubscriber(control, 'all', { topics: ['snapshot.published'] });
      const { publisher, events } = openPublisher(store, control, { clock: () => new Date('2026-07-05T00:20:00Z') });
      expect(await publisher.poll()).toBe('published');
      expect(events).toMatchObject([
        { type: 'begun', day: '2026-06-01' },
        { type: 'skipped', from: '2026-06-02', to: '2026-06-03' },
        { type: 'published', day: '2026-06-04', events: 1, deliveries: 1 },
        { type: 'published', day: '2026-06-06' },
        { type: 'published', day: '2026-06-07' },
      ]);
      expect(await receivedBy('all')).toEqual(SNAPSHOTS.slice(2));
    });

    it('a release whose files are gone stops it with an error, until they are back', async () => {
      const files = await openFiles(store.folder);
      await addSubscriber(control, 'all', { topics: ['score.updated', 'pricing.updated'] });
      const key = await snapshotKey(store, '2026-06-02', 'pricing');
      const object = await files.store.get(key);
      const { publisher, events } = openPublisher(store, control, { store: files.store });
      await files.damage(key, 'a bit flipped');
      await expect(publisher.poll()).rejects.toMatchObject({ code: 'corrupt' });
      await files.damage(key, 'lost');
      await expect(publisher.poll()).rejects.toMatchObject({ code: 'not_found' });
      expect(events).toMatchObject([
        { type: 'begun' },
        { type: 'published', day: '2026-06-02' },
        { type: 'failed', day: '2026-06-03', error: { code: 'corrupt' } },
        { type: 'failed', day: '2026-06-03', error: { code: 'not_found' } },
      ]);
      expect(await receivedBy('all')).toEqual(SCORES.slice(0, 1));
      await files.store.put(key, object?.body ?? Buffer.alloc(0), { ifAbsent: true });
      expect(await publisher.poll()).toBe('published');
      expect(await receivedBy('all')).toEqual([...PRICES, ...SCORES]);
    });

    it('files that no wanted topic needs are not read', async () => {
      const files = await openFiles(store.folder);
      for (const { day } of await listReleases(store))
        for (const dataset of ['models', 'rankings', 'scores', 'benchmarks'] as const)
          await files.damage(await snapshotKey(store, day, dataset), 'lost');
      await addSubscriber(control, 'all', { topics: ['score.updated', 'pricing.updated'] });
      expect(await poll({ store: files.store })).toBe('published');
      expect(await receivedBy('all')).toEqual([...PRICES, ...SCORES]);
    });

    it.each(['before the commit', 'after the commit'] as const)(
      'killed %s of any transaction, nothing is skipped or told twice',
      { timeout: 120_000 },
      async (moment) => {
        const addCrowd = async () => {
          await addSubscriber(control, 'all', { topics: SUBSCRIBED_TOPICS });
          await addSubscriber(control, 'few', { topics: SUBSCRIBED_TOPICS, filters: { models: ['a', ODD_ID] } });
          await addSubscriber(control, 'digest', { topics: SUBSCRIBED_TOPICS, mode: 'digest' });
        };
        await addCrowd();
        const whole = dyingDatabase(control, { after: 0 });
        await openPublisher(store, whole).publisher.poll();
        const expected = await readTold(control);
        await control.close();
        control = await openDatabase(await another());
        await addCrowd();
        let kills = 0;
        for (let isAlive = false; !isAlive; kills += isAlive ? 0 : 1) {
          // Each begins when the claim of the one before has run out.
          const clock = () => new Date(Date.parse('2026-06-10T12:00:00Z') + kills * 120_000);
          // Digests don't move the progress on, so now and then it lives a little longer.
          const dying = dyingDatabase(control, { after: 1 + (kills % 3), moment });
          isAlive = await survives(openPublisher(store, dying, { clock }).publisher.poll());
        }
        expect(whole.transactions).toBeGreaterThan(10);
        expect(kills).toBeGreaterThanOrEqual(Math.floor(whole.transactions / 3));
        expect(await readTold(control)).toEqual(expected);
      },
    );

    it('two that look at the same time tell everything once', async () => {
      await addSubscriber(control, 'all', { topics: SUBSCRIBED_TOPICS });
      await addSubscriber(control, 'digest', { topics: SUBSCRIBED_TOPICS, mode: 'digest' });
      const publishers = [1, 2, 3].map(() => openPublisher(store, control).publisher);
      const results = await Promise.all(publishers.map((publisher) => publisher.poll()));
      // Who comes when the first has ended finds nothing left.
      const others = results.filter((result) => result !== 'published');
      expect(others).toHaveLength(2);
      expect(['claimed', 'idle']).toEqual(expect.arrayContaining(others));
      expect(await receivedBy('all')).toEqual(ALL);
    });

    it('one whose claim ran out while it was slow does no harm to the one that went on', async () => {
      await addSubscriber(control, 'all', { topics: SUBSCRIBED_TOPICS });
      await addSubscriber(control, 'digest', { topics: SUBSCRIBED_TOPICS, mode: 'digest' });
      const results: unknown[] = [];
      const slow = openBusy(2, async () => results.push(await poll({ clock: LATER })));
      results.push(await slow.publisher.poll());
      expect(results).toEqual(['published', 'claimed']);
      expect(await receivedBy('all')).toEqual(ALL);
      expect(await poll()).toBe('idle');
    });

    it('what is stopped goes on later where it was', async () => {
      await addSubscriber(control, 'all', { topics: SUBSCRIBED_TOPICS });
      const stop = new AbortController();
      const { publisher, events } = openBusy(3, () => stop.abort());
      expect(await publisher.poll(stop.signal)).toBe('stopped');
      expect(events.filter(({ type }) => type === 'failed')).toEqual([]);
      expect((await receivedBy('all')).length).toBeLessThan(ALL.length);
      expect(await poll()).toBe('published');
      expect(await receivedBy('all')).toEqual(ALL);
    });
  });
}

/** False where the process was killed; rejects where it failed otherwise. */
async function survives(poll: Promise<unknown>): Promise<boolean> {
  try {
    await poll;
    return true;
  } catch (error) {
    if (error instanceof Killed || (error instanceof Error && error.cause instanceof Killed)) return false;
    throw error;
  }
}

/** Puts a catalog of the first so many releases into another store, the very first one changed where that is wanted. */
async function copyCatalog(
  { deps }: TemporaryStore,
  files: StoreFiles,
  count: number,
  first: Partial<CatalogEntry> = {},
): Promise<void> {
  const releases = (await loadCatalog(deps.store)).catalog?.releases.slice(0, count) ?? [];
  const changed = releases.map((release, index) => (index === 0 ? { ...release, ...first } : release));
  await swapCatalog(files.store, await loadCatalog(files.store), { releases: changed });
}

async function snapshotKey(store: TemporaryStore, day: Day, name: DatasetName): Promise<string> {
  const entry = (await listReleases(store)).find((release) => release.day === day);
  if (entry === undefined) throw new Error(`there is no release of ${day}`);
  return releaseKey(entry, RELEASE_PATHS.snapshot(name));
}
