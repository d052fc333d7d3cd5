import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as faults from '../../test/support/fetch/faults.ts';
import { FETCH_DAY, useFetch } from '../../test/support/fetch/use-fetch.ts';
import { perTest } from '../../test/support/per-test.ts';

const place = perTest(useFetch);

const TEXT = '{"models":[{"id":"a"},{"id":"b"}]}';

describe('the next day', () => {
  test('an upstream is asked whether its file has changed; the bytes of the day before stand in where it has not', async () => {
    place.server.serve('/models.json', TEXT);
    await place.fetchFile();
    const file = await place.fetchFile({}, { day: '2026-06-02' });
    const times = { fetched_at: `${FETCH_DAY}T00:05:00Z`, checked_at: '2026-06-02T00:05:00Z' };
    expect(file).toMatchObject({ status: 'unchanged', ...times });
    expect(place.server.seen[1]?.headers['if-none-match']).toBe(file.etag);
    expect(await place.read('models.json', '2026-06-02')).toBe(TEXT);
    place.server.serve('/models.json', '[]');
    expect(await place.fetchFile({}, { day: '2026-06-03' })).toMatchObject({ status: 'fetched', bytes: 2 });
  });

  test('a time of change serves as well as a tag', async () => {
    const when = 'Mon, 01 Jun 2026 00:00:00 GMT';
    place.server.break('/models.json', faults.respondWith(TEXT, { 'last-modified': when }), faults.status(304));
    await place.fetchFile();
    expect(await place.fetchFile({}, { day: '2026-06-02' })).toMatchObject({
      status: 'unchanged',
      last_modified: when,
    });
    expect(place.server.seen[1]?.headers['if-modified-since']).toBe(when);
  });

  test.each([
    ['was damaged since', 'models.json'],
    ['is called otherwise now', 'others.json'],
  ])('nothing is asked about a file that %s', async (_, file) => {
    place.server.serve('/models.json', TEXT);
    await place.fetchFile();
    if (file === 'models.json') await writeFile(join(place.into, FETCH_DAY, file), 'other');
    expect(await place.fetchFile({ file }, { day: '2026-06-02' })).toMatchObject({ status: 'fetched' });
  });

  test('unchanged bytes that are no longer what is expected are asked for anew', async () => {
    place.server.serve('/models.json', TEXT);
    await place.fetchFile();
    const found = await place.fetchFile({ expect: { json_path: '$.rows' } }, { day: '2026-06-02' });
    expect(found).toMatchObject({ status: 'failed', problem: '$.rows is missing (3 attempts)' });
    const isConditional = place.server.seen.map(({ headers }) => headers['if-none-match'] !== undefined);
    expect(isConditional).toEqual([false, true, false, false]);
  });
});

describe('a fetch of the same day', () => {
  const TWO = [{}, { url: '/b.json', file: 'b.json' }];

  test('that lacked a file goes on with that file alone', async () => {
    place.server.serve('/models.json', TEXT);
    await place.source(TWO);
    expect((await place.fetch()).problems).toHaveLength(1);
    expect(await place.record()).toMatchObject({ finished_at: null, done: ['models.json'] });
    place.server.takeSeen();
    place.server.serve('/b.json', '[]');
    expect((await place.fetch({ now: `${FETCH_DAY}T06:00:00Z` })).problems).toEqual([]);
    expect(place.server.takeSeen()).toEqual(['/b.json']);
    const times = { started_at: `${FETCH_DAY}T00:05:00Z`, finished_at: `${FETCH_DAY}T06:00:00Z` };
    const files = ['models.json', 'b.json'].map((file) => ({ file, status: 'fetched' }));
    expect(await place.record()).toMatchObject({ ...times, files });
  });

  test('fetches again what was damaged meanwhile', async () => {
    place.server.serve('/models.json', TEXT);
    await place.source(TWO);
    await place.fetch();
    await writeFile(join(place.into, FETCH_DAY, 'models.json'), '{');
    place.server.serve('/b.json', '[]');
    await place.fetch();
    expect(await place.read('models.json')).toBe(TEXT);
  });

  test('that was whole is done anew, and asks only for what has changed', async () => {
    place.server.serve('/models.json', TEXT);
    place.server.serve('/b.json', '[1]');
    await place.source(TWO);
    await place.fetch();
    place.server.serve('/b.json', '[2]');
    const { record } = await place.fetch({ now: `${FETCH_DAY}T06:00:00Z` });
    expect(record.files.map(({ file, status }) => [file, status])).toEqual([
      ['models.json', 'unchanged'],
      ['b.json', 'fetched'],
    ]);
    expect(await place.read('b.json')).toBe('[2]');
  });

  test('that gets nothing keeps what an earlier one of the day brought, and says so', async () => {
    place.server.serve('/models.json', TEXT);
    await place.source([{}]);
    await place.fetch();
    place.server.breakForGood('/models.json', faults.status(404));
    const { problems, warnings, record } = await place.fetch({ now: `${FETCH_DAY}T06:00:00Z` });
    expect(problems).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(/responded with 404; the file of 2026-06-01T00:05:00Z stays in use$/),
    ]);
    expect(record.files).toMatchObject([{ status: 'fetched', problem: expect.stringMatching(/responded with 404/) }]);
    expect(await place.read('models.json')).toBe(TEXT);
  });

  test('removes what the source no longer lists or has', async () => {
    place.server.serve('/models.json', TEXT);
    place.server.serve('/b.json', '[]');
    await place.source(TWO, { 'old.csv': 'a\n' });
    await place.fetch();
    await rm(join(place.root, 'old.csv'));
    await place.source([{}]);
    await place.fetch();
    expect((await readdir(join(place.into, FETCH_DAY))).sort()).toEqual(['fetch.json', 'models.json', 'source.json']);
  });
});

test('what a killed fetch left on its way is gone, and never under the name of a file; what another has on its way stays', async () => {
  place.server.serve('/models.json', TEXT);
  const folder = join(place.into, FETCH_DAY);
  const [dead, alive] = [`.partial-${2 ** 22 + 1}`, `.partial-${process.ppid}`];
  for (const name of [dead, alive]) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, '0'), 'half');
  }
  await place.fetchFile();
  expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([alive]);
});

test('all files are tried, and all that failed is told at once', async () => {
  const files = ['a.json', 'b.json', 'c.json'];
  await place.source(files.map((file) => ({ url: `/${file}`, file })));
  place.server.serve('/b.json', '[]');
  expect((await place.fetch()).problems.map((problem) => problem.slice(0, 6))).toEqual(['a.json', 'c.json']);
});

test('no more files are fetched at once than may be', async () => {
  let [now, most] = [0, 0];
  const files = Array.from({ length: 6 }, (_, index) => `${index}.json`);
  await place.source(files.map((file) => ({ url: `/${file}`, file })));
  for (const file of files) {
    place.server.break(`/${file}`, (response) => {
      now += 1;
      most = Math.max(most, now);
      setImmediate(() => {
        now -= 1;
        response.end('[]');
      });
    });
  }
  expect((await place.fetch({ limits: { concurrency: 2 } })).problems).toEqual([]);
  expect(most).toBeLessThanOrEqual(2);
});

test('a file of the source’s own and one that is fetched can not have one name', async () => {
  await place.source([{ file: 'aliases.csv' }], { 'Aliases.csv': 'a\n' });
  await expect(place.fetch()).rejects.toMatchObject({
    code: 'source_rejected',
    message: expect.stringContaining('a file with this name is fetched'),
  });
});
