import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { listSourceDays } from '../../pipeline/source/source-folder.ts';
import { sqlText } from '../../storage/duckdb/database.ts';
import { sourceOf, useStore } from '../support/pipeline/use-store.ts';

const DAY = '2026-06-01';
const MODEL = '{"id":"a","name":"A"}\n';
/** More than 64 MiB when unpacked. */
const BOMB = gzipSync(MODEL.repeat(4_000_000));

const store = useStore();
const source = sourceOf(store);
const { write } = source;
beforeEach(() => mkdir(source.path(DAY), { recursive: true }));

async function night(day = DAY) {
  const { status, problems } = await source.night(day);
  return { status, problems };
}

const PUBLISHED = { status: 'published', problems: [] };
const rejectedFor = (problem: RegExp) => ({ status: 'rejected', problems: [expect.stringMatching(problem)] });

async function writeParquet(name: string, select: string): Promise<void> {
  await store.reader.run(
    `COPY (${select}) TO ${sqlText(source.path(`${DAY}/${name}`))} (FORMAT parquet, COMPRESSION zstd)`,
  );
}

describe('more rows than max_rows reject the night', () => {
  const rows = Array.from({ length: 11 }, (_, i) => ({ id: `m${i}`, name: 'A' }));
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const limit = (max_rows: number) => write('source.json', JSON.stringify({ max_rows }));

  it('and as many do not', async () => {
    await write(`${DAY}/models.jsonl`, lines);
    await limit(11);
    expect(await night()).toEqual(PUBLISHED);
  });

  it.each([
    ['models.jsonl', lines],
    ['models.jsonl.gz', gzipSync(lines)],
    ['models.json', JSON.stringify(rows)],
    ['models.csv', `id,name\n${rows.map(({ id }) => `${id},A\n`).join('')}`],
    ['models.parquet', undefined],
  ])('in %s', async (name, content) => {
    const select = `SELECT 'm' || i AS id, 'A' AS name FROM range(11) t(i)`;
    await (content === undefined ? writeParquet(name, select) : write(`${DAY}/${name}`, content));
    await limit(10);
    expect(await night()).toEqual(rejectedFor(new RegExp(`^${name}: has more than 10 rows$`)));
  });
});

test('a small gzip file that becomes a large one rejects the night', async () => {
  await write(`${DAY}/models.jsonl.gz`, BOMB);
  expect(await night()).toEqual(rejectedFor(/^models\.jsonl\.gz: is larger than 67108864 bytes when unpacked$/));
});

test('a small Parquet file whose rows take much memory rejects the night', async () => {
  const select = `SELECT 'm' || i AS id, repeat('x', 50000) AS name FROM range(20000) t(i)`;
  await writeParquet('models.parquet', select);
  expect(await night()).toEqual(rejectedFor(/^models\.parquet: has rows of more than 67108864 bytes$/));
});

test('a source can lower the limits, never raise them', async () => {
  await write(`${DAY}/models.jsonl`, `${MODEL}{"id":"b","name":"${'B'.repeat(1000)}"}\n`);
  await write('source.json', '{"max_file_bytes": 1000}');
  expect(await night()).toEqual(rejectedFor(/^models\.jsonl: is larger than 1000 bytes$/));
  await write(`${DAY}/models.jsonl.gz`, BOMB);
  await rm(source.path(`${DAY}/models.jsonl`));
  await write('source.json', '{"max_file_bytes": 1e15, "max_ratio": 1e9}');
  expect(await night()).toEqual(rejectedFor(/^models\.jsonl\.gz: is larger than 67108864 bytes when unpacked$/));
});

test.each([
  ['source.json', `{"accept": ["${'x'.repeat(1 << 20)}"]}`],
  ['source.sql', `-- models\nSELECT '${'x'.repeat(1 << 20)}' AS id`],
])('a %s of more than a MiB rejects the night', async (name, content) => {
  await write(`${DAY}/models.jsonl`, MODEL);
  await write(name, content);
  expect(await night()).toEqual(rejectedFor(new RegExp(`${name}: is larger than 1048576 bytes$`)));
});

describe('what is no file rejects the night, and nobody waits for it', () => {
  it.each(['models.jsonl', 'source.json', 'source.sql', 'x.csv'])('a pipe called %s', async (name) => {
    await write(`${DAY}/scores.jsonl`, '');
    // It reads whatever has the ending of the last one.
    if (name === 'x.csv') await write('source.sql', "-- models\nSELECT * FROM read_csv('*.csv')");
    execFileSync('mkfifo', [source.path(`${DAY}/${name}`)]);
    expect(await night()).toEqual(rejectedFor(new RegExp(`^${DAY}/${name}: is not a regular file$`)));
  });

  it('a device', async () => {
    await symlink('/dev/zero', source.path(`${DAY}/models.jsonl`));
    const why =
      /models\.jsonl: links outside the source, to \/dev\/zero, which is refused; put a copy into the source$/;
    expect(await night()).toEqual(rejectedFor(why));
  });
});

describe('a link', () => {
  const outside = (name = '') => join(source.path(), '../outside', name);
  beforeEach(async () => {
    await rm(source.path(DAY), { recursive: true });
    await write('newest/models.jsonl', MODEL);
    await write('../outside/models.jsonl', MODEL);
  });

  it('counts as the day that it points to', async () => {
    await symlink('newest', source.path(DAY));
    expect(await night()).toEqual(PUBLISHED);
  });

  it('counts as the file that it points to', async () => {
    await mkdir(source.path(DAY));
    await symlink('../newest/models.jsonl', source.path(`${DAY}/models.jsonl`));
    expect(await night()).toEqual(PUBLISHED);
  });

  it('counts for the source itself', async () => {
    await symlink(source.path('newest'), source.path(DAY));
    await symlink(source.path(), `${source.path()}link`);
    expect(await store.night(`${source.path()}link`, DAY)).toMatchObject(PUBLISHED);
  });

  it.each([
    ['a day', DAY],
    ['a file', `${DAY}/models.jsonl`],
    ['source.json', 'source.json'],
    ['source.sql', 'source.sql'],
  ])('for %s that leads outside rejects the night', async (_, path) => {
    if (path !== DAY) await write(`${DAY}/${path.startsWith(DAY) ? 'scores' : 'models'}.jsonl`, '');
    const target = outside(path === DAY ? '' : 'models.jsonl').replace(/\/$/, '');
    await symlink(target, source.path(path));
    expect(await night()).toEqual(rejectedFor(new RegExp(`^${path}: links outside the source, to ${target}, `)));
  });

  it('that leads nowhere rejects the night', async () => {
    await symlink('gone', source.path(DAY));
    expect(await night()).toEqual(rejectedFor(new RegExp(`^${DAY}: points to nothing: gone$`)));
  });

  it('that one day can not use is no matter for the nights of others', async () => {
    const [before, after] = ['2026-05-31', '2026-06-02'] as const;
    const wrong = { [DAY]: outside(), '2026-06-03': 'gone', '2026-06-04': outside('models.jsonl') };
    for (const day of [before, after]) await write(`${day}/models.jsonl`, MODEL);
    for (const [day, target] of Object.entries(wrong)) await symlink(target, source.path(day));
    const days = await listSourceDays(source.path());
    expect(days).toEqual([before, DAY, after, '2026-06-03', '2026-06-04']);
    const statuses: string[] = [];
    for (const day of days) statuses.push((await night(day)).status);
    expect(statuses).toEqual(['published', 'rejected', 'published', 'rejected', 'rejected']);
  });

  it('to a file inside of the source is no day', async () => {
    await symlink('newest/models.jsonl', source.path(DAY));
    await symlink('newest', source.path('2026-06-02'));
    expect(await listSourceDays(source.path())).toEqual(['2026-06-02']);
  });
});
