import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { listSourceDays } from '../../pipeline/night/source/day-folders.ts';
import { sqlText } from '../../storage/duckdb/database.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';

const DAY = '2026-06-01';
const MODEL = '{"id":"a","name":"A"}\n';

let store: TemporaryStore;
let root: string;
let source: string;

beforeEach(async () => {
  store = await openTemporaryStore();
  root = await mkdtemp(join(tmpdir(), 'modelstats-limits-'));
  source = join(root, 'source');
  await mkdir(join(source, DAY), { recursive: true });
  return async () => {
    await store.dispose();
    await rm(root, { recursive: true });
  };
});

const write = (path: string, content: string | Buffer) => writeFile(join(source, path), content);

async function night() {
  const { status, problems } = await store.night(source, DAY);
  return { status, problems };
}

const rejectedFor = (problem: RegExp) => ({ status: 'rejected', problems: [expect.stringMatching(problem)] });

/** Writes a Parquet file of the rows of a SELECT. */
async function writeParquet(name: string, select: string): Promise<void> {
  await store.reader.run(`COPY (${select}) TO ${sqlText(join(source, DAY, name))} (FORMAT parquet, COMPRESSION zstd)`);
}

describe('more rows than max_rows reject the night', () => {
  const rows = Array.from({ length: 11 }, (_, i) => ({ id: `m${i}`, name: 'A' }));
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');

  it.each([
    ['models.jsonl', lines],
    ['models.jsonl.gz', gzipSync(lines)],
    ['models.json', JSON.stringify(rows)],
    ['models.csv', `id,name\n${rows.map(({ id }) => `${id},A\n`).join('')}`],
  ])('in %s', async (name, content) => {
    await write(`${DAY}/${name}`, content);
    await write('source.json', '{"max_rows": 10}');
    expect(await night()).toEqual(rejectedFor(new RegExp(`^${name}: has more than 10 rows$`)));
    await write('source.json', '{"max_rows": 11}');
    expect(await night()).toEqual({ status: 'published', problems: [] });
  });

  it('in models.parquet', async () => {
    await writeParquet('models.parquet', `SELECT 'm' || i AS id, 'A' AS name FROM range(11) t(i)`);
    await write('source.json', '{"max_rows": 10}');
    expect(await night()).toEqual(rejectedFor(/^models\.parquet: has more than 10 rows$/));
  });
});

test('a small gzip file that becomes a large one rejects the night', async () => {
  await write(`${DAY}/models.jsonl.gz`, gzipSync(MODEL.repeat(4_000_000)));
  expect(await night()).toEqual(rejectedFor(/^models\.jsonl\.gz: is larger than 67108864 bytes when unpacked$/));
});

test('a small Parquet file whose rows take much memory rejects the night', async () => {
  const select = `SELECT 'm' || i AS id, repeat('x', 50000) AS name FROM range(40000) t(i)`;
  await writeParquet('models.parquet', select);
  expect(await night()).toEqual(rejectedFor(/^models\.parquet: has rows of more than 67108864 bytes$/));
});

test('a source can lower the limits, never raise them', async () => {
  await write(`${DAY}/models.jsonl`, `${MODEL}{"id":"b","name":"${'B'.repeat(1000)}"}\n`);
  await write('source.json', '{"max_file_bytes": 1000}');
  expect(await night()).toEqual(rejectedFor(/^models\.jsonl: is larger than 1000 bytes$/));
  await write(`${DAY}/models.jsonl.gz`, gzipSync(MODEL.repeat(4_000_000)));
  await rm(join(source, DAY, 'models.jsonl'));
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
  it.each(['models.jsonl', 'source.json', 'source.sql'])('a pipe called %s', async (name) => {
    await write(`${DAY}/scores.jsonl`, '');
    execFileSync('mkfifo', [join(source, DAY, name)]);
    expect(await night()).toEqual(rejectedFor(new RegExp(`^${DAY}/${name}: is not a regular file$`)));
  });

  it('a pipe beside the files that a source.sql may read', async () => {
    await write('source.sql', "-- models\nSELECT * FROM read_csv('*.csv')");
    execFileSync('mkfifo', [join(source, DAY, 'x.csv')]);
    expect(await night()).toEqual(rejectedFor(new RegExp(`^${DAY}/x\\.csv: is not a regular file$`)));
  });

  it('a device', async () => {
    await symlink('/dev/zero', join(source, DAY, 'models.jsonl'));
    expect(await night()).toEqual(
      rejectedFor(
        /models\.jsonl: leads outside of the source, to \/dev\/zero; links out of it are refused: put a copy there$/,
      ),
    );
  });
});

describe('a link', () => {
  beforeEach(async () => {
    await rm(join(source, DAY), { recursive: true });
    for (const folder of [join(source, 'newest'), join(root, 'outside')]) {
      await mkdir(folder);
      await writeFile(join(folder, 'models.jsonl'), MODEL);
    }
  });

  it('counts as the day that it points to', async () => {
    await symlink('newest', join(source, DAY));
    expect(await night()).toEqual({ status: 'published', problems: [] });
  });

  it('counts as the file that it points to', async () => {
    await mkdir(join(source, DAY));
    await symlink('../newest/models.jsonl', join(source, DAY, 'models.jsonl'));
    expect(await night()).toEqual({ status: 'published', problems: [] });
  });

  it('counts for the source itself', async () => {
    await symlink('newest', join(source, DAY));
    await symlink(source, join(root, 'link'));
    source = join(root, 'link');
    expect(await night()).toEqual({ status: 'published', problems: [] });
  });

  it.each([
    ['a day', DAY],
    ['a file', `${DAY}/models.jsonl`],
    ['source.json', 'source.json'],
    ['source.sql', 'source.sql'],
  ])('for %s that leads outside rejects the night', async (_, path) => {
    if (path !== DAY) await mkdir(join(source, DAY));
    if (!path.startsWith(DAY)) await write(`${DAY}/models.jsonl`, MODEL);
    await symlink(join(root, path === DAY ? 'outside' : 'outside/models.jsonl'), join(source, path));
    const target = join(root, path === DAY ? 'outside' : 'outside/models.jsonl');
    expect(await night()).toEqual(rejectedFor(new RegExp(`^${path}: leads outside of the source, to ${target}; `)));
  });

  it('that leads nowhere rejects the night', async () => {
    await symlink('gone', join(source, DAY));
    expect(await night()).toEqual(rejectedFor(new RegExp(`^${DAY}: points to nothing: gone$`)));
  });

  it('that one day can not use is no matter for the nights of others', async () => {
    const [before, after] = ['2026-05-31', '2026-06-02'] as const;
    for (const day of [before, after]) {
      await mkdir(join(source, day));
      await write(`${day}/models.jsonl`, MODEL);
    }
    await symlink(join(root, 'outside'), join(source, DAY));
    await symlink('gone', join(source, '2026-06-03'));
    await symlink(join(root, 'outside/models.jsonl'), join(source, '2026-06-04'));
    expect(await listSourceDays(source)).toEqual([before, DAY, after, '2026-06-03', '2026-06-04']);
    expect(await store.night(source, before)).toMatchObject({ status: 'published' });
    expect(await night()).toEqual(rejectedFor(/leads outside of the source, to /));
    expect(await store.night(source, after)).toMatchObject({ status: 'published' });
    expect(await store.night(source, '2026-06-03')).toMatchObject({ status: 'rejected' });
    expect(await store.night(source, '2026-06-04')).toMatchObject({ status: 'rejected' });
  });

  it('to a file inside of the source is no day', async () => {
    await symlink('newest/models.jsonl', join(source, DAY));
    await symlink('newest', join(source, '2026-06-02'));
    expect(await listSourceDays(source)).toEqual(['2026-06-02']);
  });
});
