import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listSourceDays } from '../../pipeline/night/source.ts';
import { type Verification, verify } from '../../pipeline/upkeep/verify/verify.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import type { Release } from '../../schemas/release.ts';
import { sqlText } from '../../storage/duckdb/database.ts';
import { sha256 } from '../../storage/hash.ts';
import { CATALOG_KEY, RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import { listReleases } from '../support/pipeline/published.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';

const SOURCE = fixtureSource('days');
let store: TemporaryStore;
let releases: readonly CatalogEntry[];

beforeAll(async () => {
  store = await openTemporaryStore();
  for (const day of (await listSourceDays(SOURCE)).slice(0, 5)) await store.night(SOURCE, day);
  releases = await listReleases(store);
});

afterAll(() => store.dispose());

function verifyDays(isWanted: (entry: CatalogEntry) => boolean, entries = releases): Promise<Verification> {
  return verify(entries, isWanted, { ...store.deps, onSnapshot: () => {} });
}

/** Does something to one file of a release, verifies that release, and puts the file back. */
async function verifyDamaged(index: number, path: string, damage: (bytes: Buffer) => Buffer | undefined) {
  const entry = releases[index];
  if (entry === undefined) throw new Error(`there is no release ${index}`);
  const file = join(store.folder, releaseKey(entry, path));
  const bytes = await readFile(file);
  const damaged = damage(bytes);
  try {
    if (damaged === undefined) await rm(file);
    else await writeFile(file, damaged);
    return await verifyDays(({ day }) => day === entry.day);
  } finally {
    await writeFile(file, bytes);
  }
}

test('a store as the nights left it is whole, and every day but the first is proven by replay', async () => {
  expect(await verifyDays(() => true)).toEqual({ ok: true, snapshots: 5, replayed: 4, problems: [] });
});

test('one snapshot can be verified alone, with the one before it fetched for the replay', async () => {
  const day = releases[2]?.day;
  expect(await verifyDays((entry) => entry.day === day)).toEqual({ ok: true, snapshots: 1, replayed: 1, problems: [] });
});

test.each([
  'release.json',
  'snapshot/manifest.json',
  'snapshot/scores.jsonl.gz',
  'state/models.parquet',
  'history/pricing.parquet',
  'changes.parquet',
])('a missing %s is told', async (path) => {
  const { ok, problems } = await verifyDamaged(3, path, () => undefined);
  expect(ok).toBe(false);
  expect(problems[0]?.message).toContain(path);
});

test.each(['release.json', 'snapshot/models.jsonl.gz', 'state/pricing.parquet', 'changes.parquet'])(
  'one flipped byte in %s is told',
  async (path) => {
    const { ok, problems } = await verifyDamaged(3, path, (bytes) => {
      const flipped = Buffer.from(bytes);
      flipped[20] = (flipped[20] ?? 0) ^ 1;
      return flipped;
    });
    expect(ok).toBe(false);
    expect(problems[0]?.message).toContain(path);
  },
);

test('a file with other content of the same length is told', async () => {
  const { ok } = await verifyDamaged(3, 'snapshot/models.jsonl.gz', (bytes) =>
    gzipSync(gunzipSync(bytes).toString('utf8').replace('a', 'b')),
  );
  expect(ok).toBe(false);
});

test('a state that says other than the snapshot is told, though every hash fits', async () => {
  const entry = releases.at(-1);
  if (entry === undefined) throw new Error('nothing was published');
  const stateFile = join(store.folder, releaseKey(entry, RELEASE_PATHS.state('models')));
  const releaseFile = join(store.folder, releaseKey(entry, RELEASE_PATHS.release));
  const [state, text] = [await readFile(stateFile), await readFile(releaseFile, 'utf8')];
  const query = `SELECT * REPLACE (concat(name, '!') AS name) FROM read_parquet(${sqlText(stateFile)})`;
  await store.reader.run(`COPY (${query}) TO ${sqlText(`${stateFile}.new`)} (FORMAT parquet)`);
  await rename(`${stateFile}.new`, stateFile);
  const altered = await readFile(stateFile);
  const release: Release = JSON.parse(text);
  const files = release.files.map((file) =>
    file.path === RELEASE_PATHS.state('models') ? { ...file, bytes: altered.length, sha256: sha256(altered) } : file,
  );
  const body = Buffer.from(JSON.stringify({ ...release, files }));
  await writeFile(releaseFile, body);
  const listed = releases.map((one) => (one === entry ? { ...one, release_sha256: sha256(body) } : one));
  const { ok, problems } = await verifyDays(({ day }) => day === entry.day, listed);
  await Promise.all([writeFile(stateFile, state), writeFile(releaseFile, text)]);
  expect(ok).toBe(false);
  expect(problems.map(({ message }) => message).join()).toMatch(/models: the state does not give the recorded content/);
});

test('a catalog that leaves a release out is told', async () => {
  const without = releases.filter((_, index) => index !== 2);
  const { ok, problems } = await verifyDays(() => true, without);
  expect(ok).toBe(false);
  expect(problems).toContainEqual({
    snapshot: releases[3]?.day,
    message: 'it does not follow from the snapshot before it',
  });
});

test('a catalog that says other than the releases is told', async () => {
  const entries = releases.map((entry, index) => (index === 1 ? { ...entry, last_seq: entry.last_seq + 1 } : entry));
  const { problems } = await verifyDays(({ day }) => day === releases[1]?.day, entries);
  expect(problems.map(({ message }) => message)).toContain('the catalog says other than release.json');
});

test('verifying leaves the store as it is', async () => {
  const before = await readFile(join(store.folder, CATALOG_KEY), 'utf8');
  await verifyDays(() => true);
  expect(await readFile(join(store.folder, CATALOG_KEY), 'utf8')).toBe(before);
});
