import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { listReleases } from '../../support/pipeline/published.ts';
import { openTemporaryStore, type TemporaryStore } from '../../support/pipeline/temporary-store.ts';
import { PAYLOADS } from './payloads.ts';

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

test.each(PAYLOADS)(
  '$title: the night is rejected, names the statement, and nothing is written',
  async ({ sql, says }) => {
    const text = sql.replaceAll('$OUT', out).replaceAll('$DAY', day);
    await writeFile(join(root, 'source', 'source.sql'), `-- models\n${text}`);
    await writeFile(join(root, 'source', 'source.json'), '{"sql_timeout_seconds": 0.5, "max_rows": 1000}');
    const before = await files();
    const { status, problems } = await store.night(join(root, 'source'), DAY);
    expect({ status, problems }).toEqual({ status: 'rejected', problems: [expect.stringMatching(says)] });
    expect(problems[0]).toMatch(/source\.sql line \d+ \(models\): /);
    expect(problems.join()).not.toContain(SECRET);
    expect(await files()).toEqual(before);
    expect(await listReleases(store)).toEqual([]);
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
