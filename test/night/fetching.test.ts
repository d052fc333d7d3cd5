import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { runNight } from '../../pipeline/night/night.ts';
import { verify } from '../../pipeline/upkeep/verify.ts';
import * as faults from '../support/fetch/faults.ts';
import { FETCH_SETUP } from '../support/fetch/fetch-setup.ts';
import { SHOP_ENTRIES, SHOP_FILES, SHOP_KEY, serveShop } from '../support/fetch/shop.ts';
import { useFetch } from '../support/fetch/use-fetch.ts';
import { perTest } from '../support/per-test.ts';
import { newestOf, readAliases, readRelease } from '../support/pipeline/published.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { verifyDeps } from '../support/pipeline/upkeep.ts';
import { useStore } from '../support/pipeline/use-store.ts';

const store = useStore();
const place = perTest(useFetch);
beforeEach(async () => {
  await place.source(SHOP_ENTRIES, SHOP_FILES);
  serveShop(place.server, { a: 1, b: 2 });
});

const [FIRST, SECOND] = ['2026-06-01', '2026-06-02'] as const;

function night(day: string = FIRST, { source = place.root, startsOn = day } = {}) {
  const fetching = { ...FETCH_SETUP, variables: { SHOP_KEY } };
  return runNight(
    { day, source, dryRun: false, accept: true, acceptSuspects: [] },
    { ...store.deps, clock: () => new Date(`${startsOn}T00:05:00Z`), fetching },
  );
}

const newestRelease = async () => readRelease(store, await newestOf(store));

async function nameModels(table: string): Promise<void> {
  const path = join(place.root, 'source.json');
  const settings = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...settings, aliases: 'aliases.csv' }));
  await writeFile(join(place.root, 'aliases.csv'), table);
}

const archive = () => join(store.deps.workFolder, 'fetched');

async function editRecord(folder: string, changes: object): Promise<void> {
  const path = join(folder, 'fetch.json');
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...changes }));
}

async function reportOf({ report }: { readonly report: string | null }) {
  return JSON.parse(await readFile(join(report ?? '', 'report.json'), 'utf8'));
}

async function textsBelow(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')))).join('\n');
}

// Each of these nights starts a process, for which a busy machine takes its time.
describe('a night of a source that lists what to fetch', { timeout: 180_000 }, () => {
  test('fetches, captures and publishes, once; the release says what came from where, and secrets stand nowhere', async () => {
    await nameModels('upstream,id,model_id\nshop,Model A,a\n');
    const result = await night();
    expect(result).toMatchObject({ problems: [], status: 'published', records: { models: 2, pricing: 2 } });
    const release = await newestRelease();
    expect(release.upstreams).toEqual([expect.objectContaining({ id: 'shop', name: 'The shop', license: null })]);
    const at = `${FIRST}T00:05:00Z`;
    const fetchedAt = { status: 'fetched', fetched_at: at, checked_at: at, problem: null, failed_since: null };
    const common = { upstream: 'shop', ...fetchedAt, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    const models = { file: 'shop/models.json', bytes: expect.any(Number), unzipped: null };
    expect(release.fetched).toEqual([
      { ...common, ...models, url: `${place.server.url}/models.json?key=\${SHOP_KEY}` },
      expect.objectContaining({ ...common, url: `${place.server.url}/prices.csv`, file: 'prices.csv' }),
    ]);
    // Its table of names, too, which lies in the archive with what was fetched.
    const names = ['source.sql', 'names.csv', 'source.json', 'aliases.csv'];
    expect(release.source_files.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    expect(await readAliases(store, await newestOf(store))).toEqual(['shop,Model A,a']);
    const { stages, fetched } = await reportOf(result);
    expect(stages[0]).toMatchObject({ stage: 'fetch' });
    expect(fetched).toHaveLength(2);
    const { problems } = await verify('all', { ...verifyDeps(store.deps.workFolder), store: store.deps.store });
    expect(problems).toEqual([]);

    expect(place.server.takeSeen().some((path) => path.includes(SHOP_KEY))).toBe(true);
    expect((await night()).status).toBe('already_published');
    expect(place.server.takeSeen()).toEqual([]);

    place.server.breakForGood('/models.json', faults.status(403));
    const bad = await night(SECOND);
    expect(bad.status).toBe('rejected');
    expect(JSON.stringify([result, bad])).not.toContain(SHOP_KEY);
    for (const folder of [store.folder, store.deps.workFolder])
      expect(await textsBelow(folder)).not.toContain(SHOP_KEY);
  });

  test('asks for nothing where its table of names is wrong', async () => {
    await nameModels('upstream,id,model_id\nshop,Model A\n');
    const { status, problems } = await night();
    expect({ status, problems }).toEqual({
      status: 'rejected',
      problems: [`${place.root}/aliases.csv: line 2: must be upstream,id,model_id`],
    });
    expect(place.server.seen).toEqual([]);
  });

  test('is rejected where a required file fails, with its address and the cause, and yesterday stays; what an optional one fills is carried', async () => {
    await night();
    place.server.break('/models.json', ...Array(3).fill(faults.htmlPage()));
    const rejected = await night(SECOND);
    const why =
      /^shop\/models\.json of shop could not be fetched from http:\/\/127\.0\.0\.1:\d+\/models\.json\?key=\$\{SHOP_KEY\}: .* HTML page instead of the file \(3 attempts\)$/;
    expect(rejected).toMatchObject({ status: 'rejected', problems: [expect.stringMatching(why)] });
    const fetched = [{ status: 'failed' }, { status: 'unchanged' }];
    expect(await reportOf(rejected)).toMatchObject({ status: 'rejected', fetched });
    expect((await newestRelease()).day).toBe(FIRST);

    place.server.breakForGood('/prices.csv', faults.status(503));
    for (const day of ['2026-06-03', '2026-06-04']) {
      const result = await night(day);
      expect(result).toMatchObject({ status: 'published', records: { models: 2, pricing: 2 }, first_seq: null });
      for (const warning of [
        /^prices\.csv of shop could not be fetched from .*responded with 503 \(3 attempts\); what needs it is not captured$/,
        /^pricing: prices\.csv of shop could not be fetched from .* responded with 503 .*, and source\.sql reads it; its records are carried$/,
      ]) {
        expect(result.warnings).toContainEqual(expect.stringMatching(warning));
      }
    }
    const release = await newestRelease();
    expect(release.captured).toEqual(['models']);
    expect(release.fetched?.[1]).toMatchObject({ status: 'failed', sha256: null, failed_since: '2026-06-03' });
  });

  test('of a day that is over is run from what was fetched on it, or not at all', async () => {
    const late = { startsOn: SECOND };
    const why =
      /^2026-06-01 is over: its files can no longer be fetched, and .*fetched has no complete fetch of that day$/;
    expect(await night(FIRST, late)).toMatchObject({ status: 'rejected', problems: [expect.stringMatching(why)] });
    expect(place.server.seen).toEqual([]);
    await place.fetch({ variables: { SHOP_KEY } });
    await mkdir(archive(), { recursive: true });
    await cp(join(place.into, FIRST), join(archive(), FIRST), { recursive: true });
    expect((await night(FIRST, late)).status).toBe('published');
  });
});

describe('an archive', () => {
  test('is a source from which the same night can be run again, without network and without the source', async () => {
    await night();
    const first = await newestRelease();
    await place.server.close();
    await rm(place.root, { recursive: true });
    const again = await openTemporaryStore();
    onTestFinished(again.dispose);
    const run = { ...again.deps, clock: () => new Date(`${FIRST}T00:05:00Z`) };
    const request = { day: FIRST, source: archive(), dryRun: false, accept: true, acceptSuspects: [] };
    expect((await runNight(request, run)).status).toBe('published');
    const second = await readRelease(again, await newestOf(again));
    expect(second.manifest.datasets).toEqual(first.manifest.datasets);
    const { fetched, upstreams, source_files } = first;
    expect(second).toMatchObject({ fetched, upstreams, source_files });
  });

  const isNoRecord = (why: string) => new RegExp(`fetch\\.json is not a record of a fetch of 2026-06-01, ${why}`);
  const isNotFetched = /prices\.csv is not the file that fetch\.json records$/;
  test.each<[string, (folder: string) => Promise<void>, RegExp]>([
    [
      'has not ended',
      (folder) => editRecord(folder, { finished_at: null }),
      /its fetch is incomplete, it was interrupted; fetch the day again$/,
    ],
    [
      'is unreadable',
      (folder) => writeFile(join(folder, 'fetch.json'), '{'),
      isNoRecord(
        'it cannot be read as one; fetch the day again, or remove it: without it, the files count as your own$',
      ),
    ],
    [
      'is of another day',
      (folder) => editRecord(folder, { day: SECOND }),
      isNoRecord('it is of 2026-06-02; fetch the day again, or remove it: '),
    ],
    ['was changed since', (folder) => writeFile(join(folder, 'prices.csv'), 'model,usd_in\na,9\n'), isNotFetched],
    ['lost a file', (folder) => rm(join(folder, 'prices.csv')), isNotFetched],
  ])('whose fetch %s is not captured', async (_, change, problem) => {
    await place.fetch({ variables: { SHOP_KEY } });
    await change(join(place.into, FIRST));
    const { status, problems } = await night(FIRST, { source: place.into });
    expect([status, ...problems]).toEqual(['rejected', expect.stringMatching(problem)]);
  });
});

test('without its fetch.json a fetched folder counts as files of its own', async () => {
  await place.fetch({ variables: { SHOP_KEY } });
  await rm(join(place.into, FIRST, 'fetch.json'));
  expect(await night(FIRST, { source: place.into })).toMatchObject({ status: 'published', problems: [] });
});
