import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Catalog } from '../../schemas/catalog.ts';
import { smallEntry } from '../../test/support/pipeline/small-store.ts';
import { claimWorkFolder } from './work-folder-store.ts';

let root: string;
let work: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'modelstats-work-'));
  work = join(root, 'work');
});
afterEach(() => rm(root, { recursive: true }));

/** A store whose first release has a hash of this digit, as found by a command. */
function storeOf(digit: string, days = ['2026-06-01']) {
  const releases = days.map((day) => ({ ...smallEntry(day), release_sha256: digit.repeat(64) }));
  const catalog: Catalog = { format: 1, generation: 1, releases };
  return { store: { url: `file:/stores/${digit}` }, catalog };
}
const EMPTY = { store: { url: 'file:/stores/empty' }, catalog: undefined };

test('a work folder takes the first store that has a release, and every later state of it', async () => {
  await claimWorkFolder(work, EMPTY);
  await claimWorkFolder(work, storeOf('1'));
  await claimWorkFolder(work, storeOf('1', ['2026-06-01', '2026-06-02']));
  await claimWorkFolder(work, { ...storeOf('1'), store: { url: 'file:/stores/moved' } });
  expect(await readdir(work)).toEqual(['store.json']);
});

test.each([
  ['another store', storeOf('2'), 'file:/stores/2 is another one'],
  ['an empty store, as where a disk is not mounted', EMPTY, 'file:/stores/empty is empty'],
])('it refuses %s, and says what to do', async (_, found, why) => {
  await claimWorkFolder(work, storeOf('1'));
  const refusal = await claimWorkFolder(work, found).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'configuration', message: expect.stringContaining(why) });
  expect(refusal).toMatchObject({ message: expect.stringContaining('file:/stores/1') });
  expect(refusal).toMatchObject({ message: expect.stringContaining('MODELSTATS_WORK') });
});

test('a note that is garbage is written anew', async () => {
  await claimWorkFolder(work, storeOf('1'));
  await writeFile(join(work, 'store.json'), '{"identity":');
  await claimWorkFolder(work, storeOf('2'));
  await expect(claimWorkFolder(work, storeOf('1'))).rejects.toThrow('file:/stores/2');
});

test('a work folder that cannot be written is left to the run to tell', async () => {
  await writeFile(work, 'a file');
  await expect(claimWorkFolder(join(work, 'below'), storeOf('1'))).resolves.toBeUndefined();
});
