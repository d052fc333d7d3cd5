import { mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { listReleases, listUntidyRuns, readSnapshot } from '../../support/pipeline/published.ts';
import { openTemporaryStore, type TemporaryStore } from '../../support/pipeline/temporary-store.ts';
import { PAYLOADS } from './payloads.ts';

/** Each night starts a process, and some fill memory: a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 });

const DAY = '2026-06-01';
const SECRET = 'a foreign secret';

let store: TemporaryStore;
let root: string;
let out: string;
let day: string;

beforeEach(async () => {
  store = await openTemporaryStore();
  root = await realpath(await mkdtemp(join(tmpdir(), 'modelstats-hostile-')));
  [out, day] = [join(root, 'out'), join(root, 'source', DAY)];
  await mkdir(out);
  await mkdir(day, { recursive: true });
  for (const name of ['secret', 'secret.csv']) await writeFile(join(out, name), `${SECRET}\n`);
  await writeFile(join(day, 'models.jsonl'), '{"id":"a","name":"A"}\n');
  return async () => {
    await store.dispose();
    await rm(root, { recursive: true });
  };
});

async function files(): Promise<readonly string[]> {
  return (await readdir(root, { recursive: true })).sort();
}

test.each(PAYLOADS.filter(({ isOnLinuxOnly }) => !isOnLinuxOnly || process.platform === 'linux'))(
  '$title: the night is rejected, names the statement, and nothing is written',
  async ({ sql, says, timeoutSeconds = 60 }) => {
    const text = sql.replaceAll('$OUT', out).replaceAll('$DAY', day);
    await writeFile(join(root, 'source', 'source.sql'), `-- models\n${text}`);
    const limits = { sql_timeout_seconds: timeoutSeconds, max_rows: 1000 };
    await writeFile(join(root, 'source', 'source.json'), JSON.stringify(limits));
    const before = await files();
    const { status, problems } = await store.night(join(root, 'source'), DAY);
    expect({ status, problems }).toEqual({ status: 'rejected', problems: [expect.stringMatching(says)] });
    expect(problems[0]).toMatch(/source\.sql line \d+ \(models\): /);
    expect(problems.join()).not.toContain(SECRET);
    expect(await files()).toEqual(before);
    expect(await listReleases(store)).toEqual([]);
    expect(await listUntidyRuns(store)).toEqual([]);
  },
);

test('a link in the day that leads outside rejects the night, whatever name it has', async () => {
  await symlink(out, join(day, 'inside'));
  await writeFile(
    join(root, 'source', 'source.sql'),
    `-- models\nSELECT 'a' AS id, content AS name FROM read_text('inside/secret')`,
  );
  const { status, problems } = await store.night(join(root, 'source'), DAY);
  expect({ status, problems }).toEqual({
    status: 'rejected',
    problems: [expect.stringMatching(/inside: leads outside of the source/)],
  });
});

test('a COPY in a comment within a comment is a comment', async () => {
  const hidden = `/* /* */ ); COPY (SELECT 1) TO '${out}/written.csv'; SELECT * FROM (SELECT 'b' AS id, 'B' AS name -- */`;
  await writeFile(join(root, 'source', 'source.sql'), `-- models\nSELECT 'a' AS id, 'A' AS name ${hidden}\n`);
  const before = await files();
  expect(await store.night(join(root, 'source'), DAY)).toMatchObject({ status: 'published', records: { models: 1 } });
  expect(await files()).toEqual(before);
});

test('files are found by every way of writing their paths down, in the day and not in the working directory', async () => {
  await mkdir(join(day, 'sub'));
  await writeFile(join(day, 'package.json'), '{"id":"p","name":"not of the working directory"}');
  await writeFile(join(day, 'sub', 'b.csv'), 'id,name\nb,B\n');
  await mkdir(join(day, 'own'));
  await writeFile(join(day, 'own', 'ä.csv'), 'id,name\nc,C\n');
  await symlink('own', join(day, 'linked'));
  const selects = [
    `SELECT id, name FROM read_json('package.json') -- ä '`,
    `SELECT id, name FROM 'models.jsonl'`,
    `SELECT b.id, name FROM "sub/b.csv" AS b`,
    `SELECT id, name FROM read_csv(['linked/ä.csv'], header = true)`,
    `SELECT 'd' AS id, string_agg(name) AS name FROM read_csv($$s*/*.csv$$, header = true)`,
    `SELECT 'e' AS id, count(*)::VARCHAR AS name FROM glob('${day}/*.json*')`,
  ];
  await writeFile(join(root, 'source', 'source.sql'), `-- models\n${selects.join('\nUNION ALL BY NAME\n')}`);
  expect(await store.night(join(root, 'source'), DAY)).toMatchObject({ status: 'published', problems: [] });
  const lines = (await models()).map(({ id, name }) => `${id} ${name}`);
  expect(lines).toEqual(['a A', 'b B', 'c C', 'd B', 'e 2', 'p not of the working directory']);
});

test('parts of WITH are tables, whatever their names, and a PIVOT may name its values', async () => {
  const select = `WITH tables AS (FROM read_json('models.jsonl')), columns(id, name) AS (SELECT 'b', 'B'),
    facts AS (SELECT 'c' AS id, unnest(['name', 'x']) AS fact, unnest(['C', 'y']) AS value)
    SELECT id, name FROM tables UNION ALL FROM columns
    UNION ALL BY NAME (FROM (PIVOT facts ON fact IN ('name') USING max(value)))`;
  await writeFile(join(root, 'source', 'source.sql'), `-- models\n${select}`);
  expect(await store.night(join(root, 'source'), DAY)).toMatchObject({ status: 'published', problems: [] });
  expect((await models()).map(({ id, name }) => `${id} ${name}`)).toEqual(['a A', 'b B', 'c C']);
});

test('a day behind a link is read as any other', async () => {
  await rename(day, join(root, 'source', 'newest'));
  await symlink('newest', day);
  await writeFile(join(root, 'source', 'source.sql'), `-- models\nSELECT id, name FROM read_json('models.jsonl')`);
  expect(await store.night(join(root, 'source'), DAY)).toMatchObject({ status: 'published', records: { models: 1 } });
});

test('values of every type leave the database as their text, lists as JSON', async () => {
  const select = `SELECT 'a'::ENUM('a', 'b') AS id, uuid()::UUID AS name, 12::UTINYINT AS context_length,
    DATE '2026-01-02' AS release_date, ['q', 'p'] AS inference, NULL AS organization, now() AS updated_at`;
  await writeFile(join(root, 'source', 'source.sql'), `-- models\n${select}`);
  expect(await store.night(join(root, 'source'), DAY)).toMatchObject({ status: 'published', quarantined: 0 });
  const record = { id: 'a', context_length: 12, release_date: '2026-01-02', inference: ['p', 'q'], organization: null };
  expect(await models()).toMatchObject([record]);
});

test('every number leaves the database as it is, also where DuckDB itself prints another', async () => {
  const values = [2 ** 81, 2 ** 91, 2 ** 805, 1e-7, 0.1, -0, 100, 1e21, 5e-324];
  const rows = values.map((value, index) => `('b${index + 1}', ${value})`).join(', ');
  const select = `SELECT 'a' AS model_id, id AS benchmark_id, value::DOUBLE AS value FROM (VALUES ${rows}) t(id, value)`;
  const sql = [
    `-- models\nSELECT 'a' AS id, 'A' AS name;`,
    `-- benchmarks\nSELECT 'b' || range AS id, 'B' AS name FROM range(1, ${values.length + 1});`,
    `-- scores\n${select};`,
  ];
  await writeFile(join(root, 'source', 'source.sql'), sql.join('\n'));
  expect(await store.night(join(root, 'source'), DAY)).toMatchObject({ status: 'published', quarantined: 0 });
  const [entry] = await listReleases(store);
  if (entry === undefined) throw new Error('nothing is published');
  const lines = (await readSnapshot(store, entry, 'scores')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).value)).toEqual(values.map((value) => value + 0));
});

/** The published models. */
async function models(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const [entry] = await listReleases(store);
  if (entry === undefined) throw new Error('nothing is published');
  return (await readSnapshot(store, entry, 'models'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
