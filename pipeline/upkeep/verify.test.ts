import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Catalog } from '../../schemas/catalog.ts';
import { RELEASE_FORMAT, type Release } from '../../schemas/release.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { sqlText } from '../../storage/duckdb/database.ts';
import { sha256 } from '../../storage/hash.ts';
import { backfillKey, CATALOG_KEY, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { backfill, tableRow } from '../../test/support/backfill/pricing-table.ts';
import { publishFromFixture } from '../../test/support/pipeline/sample-store.ts';
import { storeWith } from '../../test/support/pipeline/store-with.ts';
import { openTemporaryStore, type TemporaryStore } from '../../test/support/pipeline/temporary-store.ts';
import { verifyDeps, withoutRun } from '../../test/support/pipeline/upkeep.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { type ToVerify, type Verification, verify } from './verify.ts';

let store: TemporaryStore;
let catalog: Catalog;
let releases: Catalog['releases'];
const scratch = useFolder();

beforeAll(async () => {
  store = await openTemporaryStore();
  const days = ['2026-06-01', '2026-06-02', '2026-06-03', '2026-06-04', '2026-06-06'];
  await publishFromFixture('days', store, days);
  await backfill(store, { rows: [tableRow({ model_id: 'aurora-2', effective_from: '2026-05-20' })] });
  catalog = (await loadCatalog(store.deps.store)).catalog ?? expect.fail();
  ({ releases } = catalog);
});
afterAll(() => store.dispose());

function verifyDays(days: ToVerify, changed: Partial<Catalog> = {}): Promise<Verification> {
  const body = Buffer.from(JSON.stringify({ ...catalog, ...changed }));
  const get: ObjectStore['get'] = async (key) =>
    key === CATALOG_KEY ? { body, etag: 'of this test' } : store.deps.store.get(key);
  const deps = { ...verifyDeps(store.deps.workFolder), store: storeWith(store.deps.store, { get }) };
  return withoutRun(verify(days, deps));
}

const entryAt = (index: number) => releases[index] ?? expect.fail();

/** Does something to one object, verifies these days, and puts the object back. */
async function verifyDamaged(key: string, damage: (bytes: Buffer) => Buffer | undefined, days: ToVerify) {
  const file = join(store.folder, key);
  const bytes = await readFile(file);
  const damaged = damage(bytes);
  try {
    if (damaged === undefined) await rm(file);
    else await writeFile(file, damaged);
    return await verifyDays(days);
  } finally {
    await writeFile(file, bytes);
  }
}

/** {@link verifyDamaged} of a file of the fourth release. */
function verifyFourth(path: string, damage: (bytes: Buffer) => Buffer | undefined) {
  const entry = entryAt(3);
  return verifyDamaged(releaseKey(entry, path), damage, [entry.day]);
}

const lose = () => undefined;

function flipByte(bytes: Buffer): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[20] = (flipped[20] ?? 0) ^ 1;
  return flipped;
}

test('a store as the nights left it is whole, and every day but the first is proven by replay', async () => {
  expect(await verifyDays('all')).toEqual({ ok: true, snapshots: 5, replayed: 4, problems: [] });
});

test('one snapshot can be verified alone, with the one before it fetched for the replay', async () => {
  const days = releases.slice(2, 3).map(({ day }) => day);
  expect(await verifyDays(days)).toEqual({ ok: true, snapshots: 1, replayed: 1, problems: [] });
});

test.each([
  'release.json',
  'snapshot/manifest.json',
  'snapshot/scores.jsonl.gz',
  'state/models.parquet',
  'history/pricing.parquet',
  'changes.parquet',
])('a missing %s is told', async (path) => {
  const { ok, problems } = await verifyFourth(path, lose);
  expect(ok).toBe(false);
  expect(problems[0]?.message).toContain(path);
});

test.each(['release.json', 'snapshot/models.jsonl.gz', 'state/pricing.parquet', 'changes.parquet'])(
  'one flipped byte in %s is told',
  async (path) => {
    const { ok, problems } = await verifyFourth(path, flipByte);
    expect(ok).toBe(false);
    expect(problems[0]?.message).toContain(path);
  },
);

test.each<readonly [what: string, change: (bytes: Buffer) => Buffer | undefined, isOk: boolean]>([
  ['empty, as older programs left it', () => Buffer.alloc(0), true],
  ['gone, as a killed night leaves it', lose, true],
  ['of another release', (bytes) => Buffer.concat([bytes, Buffer.from(' ')]), false],
])('a mark that is %s is judged so', async (_, change, isOk) => {
  const { ok, problems } = await verifyFourth('published', change);
  expect(ok).toBe(isOk);
  expect(problems.map(({ message }) => message)).toEqual(isOk ? [] : ['published is not a copy of release.json']);
});

test('a file with other content of the same length is told', async () => {
  const { ok } = await verifyFourth('snapshot/models.jsonl.gz', (bytes) =>
    gzipSync(gunzipSync(bytes).toString('utf8').replace('a', 'b')),
  );
  expect(ok).toBe(false);
});

test('a state that says other than the snapshot is told, though every hash fits', async () => {
  const { ok, problems } = await verifyReplaced(4, 'state/models.parquet', (bytes) =>
    rewriteColumn(bytes, 'name', `concat(name, '!')`),
  );
  expect(ok).toBe(false);
  expect(problems.map(({ message }) => message).join()).toMatch(
    /models: the content of the state has \d+ bytes with sha256/,
  );
});

test('a catalog that leaves a release out is refused', async () => {
  const without = releases.filter((_, index) => index !== 2);
  await expect(verifyDays('all', { releases: without })).rejects.toMatchObject({ code: 'corrupt' });
});

test('a release that does not follow from the one before is told', async () => {
  const { ok, problems } = await verifyReplaced(3, 'release.json', async (bytes) => {
    const release = JSON.parse(bytes.toString('utf8')) as Release;
    const prev = { ...release.prev, release_sha256: '0'.repeat(64) };
    return Buffer.from(JSON.stringify({ ...release, prev }));
  });
  expect(ok).toBe(false);
  expect(problems).toContainEqual({
    snapshot: releases[3]?.day,
    message: 'it does not follow from the previous snapshot',
  });
});

test('a day without a snapshot is not found', async () => {
  await expect(verifyDays(['2026-05-31'])).rejects.toMatchObject({ code: 'not_found' });
  await expect(verifyDays('newest', { releases: [] })).rejects.toMatchObject({ code: 'corrupt' });
});

test('a catalog that says other than the releases is told', async () => {
  const entries = releases.map((entry, index) => (index === 1 ? { ...entry, captured: [] } : entry));
  const { problems } = await verifyDays(
    entries.slice(1, 2).map(({ day }) => day),
    { releases: entries },
  );
  expect(problems.map(({ message }) => message)).toContain('the catalog differs from release.json');
});

test('a release of an older format is refused with what to do', async () => {
  const { problems } = await verifyReplaced(3, 'release.json', async (bytes) => {
    return Buffer.from(bytes.toString('utf8').replace('"format":2', '"format":1'));
  });
  expect(problems[0]?.message).toMatch(
    /release\.json has format 1, but this program reads 2: publish its days again into an empty store$/,
  );
});

const pricing = () => catalog.backfill?.pricing ?? expect.fail();

test.each<readonly [what: string, damage: (bytes: Buffer) => Buffer | undefined, message: string]>([
  ['gone', lose, ''],
  ['damaged', flipByte, ' is damaged'],
])('a backfill that is %s is reported', async (_, damage, message) => {
  const key = backfillKey(pricing().run);
  const { ok, problems } = await verifyDamaged(key, damage, 'all');
  expect({ ok, problems }).toEqual({
    ok: false,
    problems: [{ snapshot: key, message: expect.stringContaining(`${key}${message}`) }],
  });
});

test('a backfill of which the catalog says other days is reported', async () => {
  const { problems } = await verifyDays('all', { backfill: { pricing: { ...pricing(), last_day: '2024-02-28' } } });
  expect(problems.map(({ message }) => message)).toEqual(['the catalog differs from its intervals']);
});

/** What an event says of itself; each must be told by `verify` alone, since hashes and numbers are in order. */
test.each([
  ['the key of another record', `replace(key, 'Aurora-2', 'aurora-2')`, 'key'],
  ['a key that is no JSON', `left(key, length(key) - 1)`, 'key'],
  ['a key with its parts in another order', `'{"provider":"x","model_id":"y"}'`, 'key'],
  ['an entity_id that is escaped', `replace(entity_id, ':', '%3A')`, 'entity_id'],
])('%s in changes.parquet is told', async (_, damage, column) => {
  const { problems } = await verifyReplaced(0, 'changes.parquet', (bytes) => rewriteColumn(bytes, column, damage));
  expect(problems.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^\d+ of its events do not name one record in entity_id, key and data$/),
  );
});

test('two events of one entity_id in one night are told', async () => {
  const { problems } = await verifyReplaced(0, 'changes.parquet', (bytes) =>
    rewriteColumn(bytes, 'entity_id', `'same'`),
  );
  expect(problems.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^\d+ of its events have the entity_id of another one$/),
  );
});

/** The rows of a Parquet file with one column as an SQL expression has it. */
async function rewriteColumn(bytes: Buffer, column: string, damage: string): Promise<Buffer> {
  const [from, to] = ['from.parquet', 'to.parquet'].map((name) => sqlText(scratch(name)));
  await writeFile(scratch('from.parquet'), bytes);
  await store.reader.run(
    `COPY (SELECT * REPLACE (${damage} AS ${column}) FROM read_parquet(${from})) TO ${to} (FORMAT parquet)`,
  );
  return readFile(scratch('to.parquet'));
}

/** Verifies a copy of the store in which one file of a release is another, and everything that names its hash follows. */
async function verifyReplaced(index: number, path: string, replace: (bytes: Buffer) => Promise<Buffer>) {
  const entry = entryAt(index);
  const [file, description] = [
    join(store.folder, releaseKey(entry, path)),
    join(store.folder, releaseKey(entry, 'release.json')),
  ];
  const [bytes, release] = [await readFile(file), await readFile(description)];
  try {
    const replaced = await replace(bytes);
    await writeFile(file, replaced);
    if (path !== 'release.json') {
      const { format: _, ...rest } = JSON.parse(release.toString('utf8')) as Release;
      const files = rest.files.map((one) =>
        one.path === path ? { path, bytes: replaced.length, sha256: sha256(replaced) } : one,
      );
      await writeFile(description, JSON.stringify({ format: RELEASE_FORMAT, ...rest, files }));
    }
    const changed = { ...entry, release_sha256: sha256(await readFile(description)) };
    return await verifyDays([entry.day], { releases: releases.with(index, changed) });
  } finally {
    await writeFile(file, bytes);
    await writeFile(description, release);
  }
}
