import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeZip, type ZipEntry } from '../../test/support/fetch/make-zip.ts';
import { FETCH_DAY, useFetch } from '../../test/support/fetch/use-fetch.ts';
import { perTest } from '../../test/support/per-test.ts';
import { newFolder } from '../../test/support/temporary-folder.ts';
import { unzip } from './unzip.ts';
import { UpstreamFault } from './upstream-fault.ts';

const place = perTest(useFetch);
beforeEach(async () => {
  await place.source([{ url: '/all.zip', file: 'all.zip', unzip: 'raw/all/', expect: { min_rows: 1 } }]);
});

const GOOD: readonly ZipEntry[] = [
  { name: 'README.md', content: 'For people', isDeflated: false },
  { name: 'scores/', content: '', isDeflated: false },
  { name: 'scores/é mmlu (5-shot) 100%.csv', content: 'model,score\na,1\n' },
];
const entriesOf = (...names: readonly string[]) => names.map((name) => ({ name, content: 'x' }));
const zipOf = (...names: readonly string[]) => makeZip(entriesOf(...names));
const HIDDEN = entriesOf('__MACOSX/._a.csv', '.DS_Store', 'scores/.hidden');

async function filesOfDay(day = FETCH_DAY): Promise<readonly string[]> {
  const entries = await readdir(join(place.into, day), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
}

test('a zip file is unpacked below its folder and stays beside it; hidden files are left out', async () => {
  place.server.serve('/all.zip', makeZip([...GOOD, ...HIDDEN]));
  const { record } = await place.fetch();
  expect(record.files[0]).toMatchObject({
    status: 'fetched',
    unzipped: { folder: 'raw/all', files: 2, bytes: 26, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(await place.read('raw/all/scores/é mmlu (5-shot) 100%.csv')).toBe('model,score\na,1\n');
  expect(await filesOfDay()).toEqual(['README.md', 'all.zip', 'fetch.json', 'source.json', 'é mmlu (5-shot) 100%.csv']);
});

test('one that has not changed is unpacked again from the bytes of the day before', async () => {
  place.server.serve('/all.zip', makeZip(GOOD));
  const first = await place.fetch();
  const second = await place.fetch({ day: '2026-06-02' });
  expect(second.record.files[0]).toMatchObject({ status: 'unchanged', unzipped: first.record.files[0]?.unzipped });
  expect(await filesOfDay('2026-06-02')).toEqual(await filesOfDay());
});

test('what was in it and no longer is goes with the next fetch of the day', async () => {
  place.server.serve('/all.zip', makeZip(GOOD));
  await place.fetch();
  place.server.serve('/all.zip', makeZip(GOOD.slice(0, 1)));
  await place.fetch();
  expect(await filesOfDay()).toEqual(['README.md', 'all.zip', 'fetch.json', 'source.json']);
});

test('an unpacked file that was damaged, or is missing, is fetched again', async () => {
  place.server.serve('/all.zip', makeZip(GOOD));
  await place.source([
    { url: '/all.zip', file: 'all.zip', unzip: 'raw/all/' },
    { url: '/none', file: 'none.json' },
  ]);
  await place.fetch();
  await writeFile(join(place.into, FETCH_DAY, 'raw/all/README.md'), 'other');
  place.server.takeSeen();
  await place.fetch();
  expect(place.server.takeSeen()).toContain('/all.zip');
  expect(await place.read('raw/all/README.md')).toBe('For people');
});

/** What is said of a zip file, of which nothing is unpacked. */
async function problemOf(zip: Buffer): Promise<string | null | undefined> {
  place.server.serve('/all.zip', zip);
  const { record } = await place.fetch();
  expect(record.files[0]).toMatchObject({ status: 'failed' });
  expect(await filesOfDay()).toEqual(['fetch.json', 'source.json']);
  return record.files[0]?.problem;
}

test.each([
  ...['../a.csv', 'a/../../b', '/a.csv', 'C:a.csv', 'a\\b.csv', '', 'a\0b.csv', 'a\nb.csv', 'a//b.csv'],
  ...['x'.repeat(201), 'é'.repeat(190), 'x/'.repeat(100).concat('a')],
])('nothing is unpacked where %j is no name for a file here', async (name) => {
  expect(await problemOf(zipOf(name))).toBe(`${JSON.stringify(name.slice(0, 200))} in it is not a valid file name`);
});

const large = Buffer.alloc(1 << 20);
test.each<[string, Buffer, RegExp]>([
  ['it is none', Buffer.from('{}'), /^is not a complete zip file \(3 attempts\)$/],
  ['it is cut off', makeZip(GOOD).subarray(0, 150), /^is not a complete zip file/],
  ['it is empty', makeZip([]), /^is a zip file without files/],
  ['a file lies below another file', zipOf('a', 'a/b'), /^"a\/b" in it conflicts with another file$/],
  ['a file has the name of a folder before it', zipOf('A/b', 'a'), /^"a" in it conflicts with another file$/],
  [
    'an empty folder has the name of a file',
    makeZip([...entriesOf('a'), { name: 'a/', content: '' }]),
    /^"a\/" in it conflicts with another file$/,
  ],
  ['a name stands twice', makeZip([...GOOD, ...entriesOf('readme.MD')]), /^"readme\.MD" in it appears twice$/],
  ['a name stands twice in two spellings of its letters', zipOf('é', 'e\u0301'), /in it appears twice$/],
  ['a file is a link', makeZip([{ name: 'a', content: '/etc/passwd', mode: 0o120777 }]), /^"a" in it is a link$/],
  ['a file is encrypted', makeZip([{ name: 'a', content: 'x', flags: 0x801 }]), /^"a" in it is encrypted$/],
  [
    'a checksum is wrong',
    makeZip([{ name: 'a', content: 'x', checksum: 1 }]),
    /^contains "a", which is cut off or damaged/,
  ],
  [
    'it becomes too much',
    makeZip(Array.from({ length: 17 }, (_, index) => ({ name: `${index}`, content: large }))),
    /^unpacks to more than 16777216 bytes$/,
  ],
  [
    'it has too many files',
    makeZip(Array.from({ length: 5001 }, (_, index) => ({ name: `${index}`, content: '' }))),
    /^contains more than 5000 files$/,
  ],
  [
    'it has too many folders',
    makeZip(Array.from({ length: 100 }, (_, index) => ({ name: `${index}/${'x/'.repeat(90)}a`, content: '' }))),
    /in it exceeds the limit of 5000 folders$/,
  ],
])('nothing is unpacked, and why is said, where %s', async (_, zip, problem) => {
  expect(await problemOf(zip)).toMatch(problem);
});

test('a zip file with fewer files than expected is none', async () => {
  await place.source([{ url: '/all.zip', file: 'all.zip', unzip: 'raw/', expect: { min_rows: 3 } }]);
  place.server.serve('/all.zip', makeZip(GOOD));
  expect((await place.fetch()).record.files[0]?.problem).toMatch(/^has 2 files in all\.zip, expected at least 3/);
});

test('what this disk refuses of a zip file is a fault of the zip file', async () => {
  const folder = await newFolder();
  const zip = join(folder, 'all.zip');
  await writeFile(zip, zipOf('a.csv'));
  // As on a disk that has one name for two.
  await mkdir(join(folder, 'into/a.csv'), { recursive: true });
  const refused = unzip(zip, join(folder, 'into'), { bytesMax: 1000, ratioMax: 1 });
  await expect(refused).rejects.toThrow(
    new UpstreamFault('"a.csv" in it cannot be created here: EEXIST', { mayPass: false }),
  );
});
