import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { sha256 } from '../../../storage/hash.ts';
import { filesIn, KEPT_NIGHTS } from './kept-nights.ts';
import { publishFromFixture } from './sample-store.ts';
import { openTemporaryStore, type TemporaryStore } from './temporary-store.ts';

const [DAYS, NEXT] = [['2026-06-01', '2026-06-02'], '2026-06-03'] as const;
const stores: TemporaryStore[] = [];
afterAll(() => Promise.all(stores.map((store) => store.dispose())));

async function openWithDays(): Promise<TemporaryStore> {
  const store = await openTemporaryStore();
  stores.push(store);
  await publishFromFixture('days', store, DAYS);
  return store;
}

/** The hash of every object, by key. */
async function contentsOf({ folder }: TemporaryStore): Promise<Readonly<Record<string, string>>> {
  const hashed = (await filesIn(folder)).map(async (path) => [path.slice(folder.length), sha256(await readFile(path))]);
  return Object.fromEntries(await Promise.all(hashed));
}

test('a store with kept nights is, byte for byte, the one that they give, and goes on like it', async () => {
  vi.stubEnv(KEPT_NIGHTS, undefined);
  const own = await openWithDays();
  vi.unstubAllEnvs();
  const [, copied] = [await openWithDays(), await openWithDays()];
  expect(await contentsOf(copied)).toEqual(await contentsOf(own));
  for (const store of [own, copied]) await publishFromFixture('days', store, [NEXT]);
  expect(Object.keys(await contentsOf(own)).filter((key) => key.includes(NEXT))).not.toEqual([]);
  expect(await contentsOf(copied)).toEqual(await contentsOf(own));
  const note = await readFile(join(copied.deps.workFolder, 'store.json'), 'utf8');
  expect(JSON.parse(note)).toMatchObject({ url: copied.url });
});

test('what is done to a store changes no other', async () => {
  const [one, other] = [await openWithDays(), await openWithDays()];
  const before = await contentsOf(other);
  await appendFile(join(one.folder, 'catalog.json'), ' ');
  expect(await contentsOf(one)).not.toEqual(before);
  expect(await contentsOf(other)).toEqual(before);
  expect(await contentsOf(await openWithDays())).toEqual(before);
});
