import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { gzipPieces, plainPieces } from '../../runtime/gzip-pieces.ts';
import { ENTITY_TYPES, type EntityType } from '../../schemas/datasets.ts';
import { insertBlock, useViewFiles, type ViewDatabase } from '../../test/support/api/view-file.ts';
import { readFeed } from './feed.ts';

/** More in `make test-long`. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 40);

const openView = useViewFiles();

interface Event {
  readonly type: EntityType;
  readonly data: string;
}

const eventArbitrary = fc.record({
  // Mostly one type, so that there are long runs of it.
  type: fc.oneof({ weight: 3, arbitrary: fc.constant('score' as const) }, fc.constantFrom(...ENTITY_TYPES)),
  // Among them what an event's own beginning looks like, in a text.
  data: fc.oneof(fc.constantFrom('', '{"seq":3,', 'é,{"seq":12,"', '},{', '\\'), fc.string({ unit: 'binary' })),
});

const feedArbitrary = fc.record({
  events: fc.array(eventArbitrary, { maxLength: 40 }),
  /** Sizes of blocks, over and over: those of nights that were followed are short. */
  sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
  /** Events that left the feed before the view was first written, whole blocks of them. */
  gone: fc.nat(20),
  /** Events that left it later; their block stays if it has others. */
  left: fc.nat(12),
});

const queryArbitrary = fc.record({
  after: fc.nat(60),
  limit: fc.integer({ min: 1, max: 12 }),
  scannedMax: fc.integer({ min: 1, max: 20 }),
  entityType: fc.option(fc.constantFrom(...ENTITY_TYPES), { nil: undefined }),
});

const textOf = ({ type, data }: Event, seq: number) => JSON.stringify({ seq, entity_type: type, data: { text: data } });

function insertBlocks(database: ViewDatabase, events: ReadonlyMap<number, Event>, sizes: readonly number[]): void {
  const all = [...events];
  for (let [at, block] = [0, 0]; at < all.length; block += 1) {
    const size = sizes[block % sizes.length] ?? 1;
    const taken = all.slice(at, at + size);
    const types = taken.map(([, { type }]) => type[0]).join('');
    insertBlock(database, taken[0]?.[0] ?? 0, {
      types,
      events: taken.map(([seq, event]) => textOf(event, seq)).join(','),
    });
    at += size;
  }
}

test('a page has the events that a scan of all finds, and says where the scan ended', async () => {
  await fc.assert(
    fc.asyncProperty(feedArbitrary, fc.array(queryArbitrary, { maxLength: 20 }), async (feed, queries) => {
      const { events: list, sizes, gone } = feed;
      const left = Math.min(feed.left, list.length);
      const lastSeq = gone + list.length;
      const events = new Map(list.map((event, at) => [gone + 1 + at, event]));
      const firstSeq = gone + left + 1;
      const view = await openView(
        (database) => insertBlocks(database, events, sizes),
        [
          { day: '2026-06-01', first_seq: gone + left > 0 ? 1 : null, last_seq: gone + left, parts: [] },
          { day: '2026-06-02', first_seq: firstSeq > lastSeq ? null : firstSeq, last_seq: lastSeq },
        ],
      );
      for (const { after: requested, limit, scannedMax, entityType } of queries) {
        // The route refuses a cursor beyond the feed.
        const after = Math.min(requested, lastSeq);
        const later = [...events].filter(([seq]) => seq > after && seq >= firstSeq);
        const scanned = later.slice(0, entityType === undefined ? limit : scannedMax);
        const expected = scanned.filter(([, { type }]) => (entityType ?? type) === type).slice(0, limit);
        const isFull = expected.length === limit;
        const page = readFeed(view, { after, limit, scannedMax, entityType });
        const text = expected.map(([seq, event]) => textOf(event, seq)).join(',');
        expect(Buffer.concat(plainPieces(page.pieces)).toString()).toBe(text);
        expect(gunzipSync(Buffer.concat(await gzipPieces(page.pieces))).toString()).toBe(text);
        expect(page.lastSeq).toBe((isFull ? expected : scanned).at(-1)?.[0] ?? Math.max(after, firstSeq - 1));
      }
      await view.retire();
    }),
    { numRuns: RUNS },
  );
});

const SCORE: Event = { type: 'score', data: '' };

test('events that are missing, within a block or a block of them, are damage, never an incomplete page', async () => {
  const events = new Map(Array.from({ length: 9 }, (_, at) => [at + 1, SCORE]));
  const releases = [{ day: '2026-06-01', first_seq: 1, last_seq: 9 }];
  const all = { after: 0, limit: 9, scannedMax: 9, entityType: undefined };
  const damages: readonly ((database: ViewDatabase) => void)[] = [
    (database) => database.exec('DELETE FROM events WHERE first_seq = 4'),
    (database) => database.exec('DELETE FROM events WHERE first_seq = 7'),
    (database) => database.exec('DELETE FROM events WHERE first_seq = 1'),
    (database) => database.exec(`UPDATE events SET deflated = x'00' WHERE first_seq = 4`),
    (database) => database.exec('UPDATE events SET bytes = bytes + 1 WHERE first_seq = 4'),
    (database) => database.exec('UPDATE events SET crc = crc + 1 WHERE first_seq = 4'),
  ];
  for (const damage of damages) {
    const view = await openView((database) => {
      insertBlocks(database, events, [3]);
      damage(database);
    }, releases);
    expect(() => readFeed(view, all)).toThrow('the data is being loaded again');
    expect(() => readFeed(view, { ...all, entityType: 'score' })).toThrow('the data is being loaded again');
  }
});

test('a page unpacks only the blocks with its events, each once', async () => {
  const types = ['model', 'score', 'score', 'model', 'score', 'model', 'score', 'score', 'score'] as const;
  const events = new Map(types.map((type, at) => [at + 1, { type, data: '' }]));
  const releases = [{ day: '2026-06-01', first_seq: 1, last_seq: 9 }];
  const view = await openView((database) => insertBlocks(database, events, [3]), releases);
  const rows = vi.spyOn(view, 'rows');
  const unpacked = () => rows.mock.calls.filter(([sql]) => sql.includes('deflated')).map(([, values]) => values);
  readFeed(view, { after: 0, limit: 9, scannedMax: 9, entityType: 'model' });
  expect(unpacked()).toEqual([[1], [4]]);
  rows.mockClear();
  readFeed(view, { after: 4, limit: 2, scannedMax: 9, entityType: undefined });
  expect(unpacked()).toEqual([[5]]);
});
