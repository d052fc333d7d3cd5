/** A catalog that was restored from an older copy: nothing goes on from it, and it can be rebuilt. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { loadCatalog, loadCatalogToContinue } from '../../storage/catalog.ts';
import { CATALOG_KEY, releaseId } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { readFeed } from '../support/pipeline/consumer.ts';
import { listReleases } from '../support/pipeline/published.ts';
import { publishFromFixture } from '../support/pipeline/sample-store.ts';
import { storeWith } from '../support/pipeline/store-with.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { callCli, envOf, responsesFrom } from '../support/processes/cli.ts';

const SOURCE = fixtureSource('days');
const [FIRST, SECOND, THIRD] = ['2026-06-01', '2026-06-02', '2026-06-03'] as const;
let nights: TemporaryStore;
let releases: readonly CatalogEntry[];

beforeEach(async () => {
  nights = await openTemporaryStore();
  await publishFromFixture('days', nights, [FIRST, SECOND]);
  releases = await listReleases(nights);
});
afterEach(() => nights.dispose());

async function restore(entries: readonly object[]): Promise<void> {
  const path = join(nights.folder, CATALOG_KEY);
  const catalog = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...catalog, generation: 1, releases: entries }));
}

const catalogText = () => readFile(join(nights.folder, CATALOG_KEY), 'utf8').catch(() => 'none');

function command(...args: readonly string[]) {
  return callCli(args, { env: envOf({ store: nights.folder, work: nights.deps.workFolder }) });
}

const CONTINUING = [
  ['a night of the next day', ['nightly', '--source', SOURCE, '--day', THIRD]],
  ['a backfill', ['backfill', 'pricing', '--table', join(SOURCE, FIRST, 'pricing.csv')]],
  ['a prune', ['prune']],
  ['verify', ['verify']],
  ['verify of all', ['verify', '--all']],
] as const;

describe.each([
  ['is gone', (): Promise<void> => rm(join(nights.folder, CATALOG_KEY)), (): string => 'but no catalog', []],
  [
    'lacks the newest release',
    (): Promise<void> => restore(releases.slice(0, 1)),
    (): string => `${releaseId(releases[1] ?? expect.fail())} was published`,
    [['a night of the day that it lacks', ['nightly', '--source', SOURCE, '--day', SECOND]]],
  ],
] as const)('a catalog that %s', { timeout: 120_000 }, (_, spoil, why, more) => {
  test.each([...CONTINUING, ...more])('stops %s, which says how to mend it and writes nothing', async (__, args) => {
    await spoil();
    const objects = async () => Promise.all([readdir(nights.folder, { recursive: true }), catalogText()]);
    const before = await objects();
    const { code, stderr } = await command(...args);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(why()) });
    expect(stderr).toContain('rebuild it first: modelstats catalog rebuild');
    expect(await objects()).toEqual(before);
  });
});

describe('a catalog that lacks the newest release', { timeout: 120_000 }, () => {
  test('is mended by a rebuild, and the next night numbers no event twice', async () => {
    await restore(releases.slice(0, 1));
    const { code, stdout } = await command('catalog', 'rebuild', '--json');
    expect({ code, response: responsesFrom(stdout)[0] }).toMatchObject({
      code: 0,
      response: { changed: true, snapshots: 2 },
    });
    expect(await listReleases(nights)).toEqual(releases);
    await nights.night(SOURCE, THIRD);
    const seqs = (await readFeed(nights, await listReleases(nights))).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });
});

test('a night looks only at what lies behind the newest release of its catalog', async () => {
  const looked: string[] = [];
  const list: ObjectStore['list'] = async function* (...args) {
    for await (const object of nights.deps.store.list(...args)) {
      looked.push(object.key);
      yield object;
    }
  };
  await loadCatalogToContinue(storeWith(nights.deps.store, { list }));
  expect(looked.length).toBeGreaterThan(0);
  expect(looked.filter((key) => !key.startsWith(`releases/${SECOND}.`))).toEqual([]);
});

const first = () => releases[0] ?? expect.fail();
const second = () => releases[1] ?? expect.fail();

test.each([
  [
    'with a later day first',
    () => [
      { ...first(), day: SECOND },
      { ...second(), day: FIRST },
    ],
    `${FIRST} comes after`,
  ],
  ['with a day twice', () => [first(), first()], `${FIRST} comes after ${FIRST}`],
  ['that begins in the middle of the feed', () => [second()], `those before it end at 0`],
  ['with a gap', () => [first(), { ...second(), first_seq: 99 }], `the events of ${SECOND} are 99 to`],
  ['that ends before it begins', () => [first(), { ...second(), last_seq: 1 }], `the events of ${SECOND} are`],
  ['with numbers but no events', () => [{ ...first(), first_seq: null }], `the events of ${FIRST} are none to`],
])('a catalog out of order %s is refused by every reader', async (_, entries, message) => {
  await restore(entries());
  const refusal = { code: 'corrupt', message: expect.stringContaining(message) };
  await expect(loadCatalog(nights.deps.store)).rejects.toMatchObject(refusal);
  await expect(nights.night(SOURCE, THIRD)).rejects.toMatchObject(refusal);
  await expect(nights.night(SOURCE, THIRD)).rejects.toThrow('modelstats catalog rebuild');
});
