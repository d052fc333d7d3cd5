/** The mirror in Python that api/guide/pages/mirror.md shows, over nights with every kind of change. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { useService } from '../support/client/service.ts';
import { openGuide } from '../support/guide/use-guide.ts';
import { HAS_PYTHON } from '../support/has-python.ts';
import { listReleases, readSnapshot } from '../support/pipeline/published.ts';
import { publishFromFixture } from '../support/pipeline/sample-store.ts';
import { elementsIn } from '../support/site/elements.ts';
import { usePublic } from '../support/site/use-public.ts';
import { useFolder } from '../support/temporary-folder.ts';

const SHOWN_URL = 'https://stats.example.org';
const shown = usePublic({ settings: { publicUrl: SHOWN_URL }, guide: () => openGuide() });

/** The program as the page shows it, and as it is downloaded. */
async function downloadedProgram(): Promise<string> {
  const page = await shown.get('/docs/mirror');
  const block = elementsIn(page.body).findLast(({ name }) => name === 'pre');
  const { body, headers } = await shown.get('/docs/mirror.py');
  expect(headers).toMatchObject({
    'content-type': 'text/x-python; charset=utf-8',
    'content-disposition': 'attachment; filename="mirror.py"',
  });
  expect(body.replaceAll(/\s+/g, ' ').trim()).toBe(block?.text); // In a text, all white space is one.
  expect(body).toContain(`\nSERVICE = "${SHOWN_URL}"\n`);
  return body;
}

const NEXT_DAYS = [['2026-06-03', '2026-06-04'], ['2026-06-06']];
const service = useService({ days: (store) => publishFromFixture('days', store, ['2026-06-01', '2026-06-02']) });

const at = useFolder();
beforeAll(async () => {
  const program = await downloadedProgram();
  await writeFile(at('mirror.py'), program.replace(SHOWN_URL, service.url));
});

async function run(key = service.key): Promise<string> {
  const env = { ...process.env, MODELSTATS_API_KEY: key };
  const { stdout } = await promisify(execFile)('python3', ['mirror.py', 'copy.sqlite'], { cwd: at(), env });
  return stdout.trim();
}

function inCopy<T>(use: (copy: SqliteDatabase.Database) => T): T {
  const copy = new SqliteDatabase(at('copy.sqlite'));
  try {
    return use(copy);
  } finally {
    copy.close();
  }
}

/** Every line of the copy, by dataset, is that of the newest snapshot. */
async function expectEqual(): Promise<void> {
  const release = (await listReleases(service.api.store)).at(-1);
  if (release === undefined) throw new Error('nothing was published');
  for (const dataset of DATASET_NAMES) {
    const sql = 'SELECT line FROM records WHERE dataset = ? ORDER BY first, second';
    const lines = inCopy((copy) => copy.prepare<[string], string>(sql).pluck().all(dataset));
    expect([dataset, lines.join('')]).toEqual([dataset, await readSnapshot(service.api.store, release, dataset)]);
  }
}

describe.skipIf(!HAS_PYTHON)('the mirror in Python', { timeout: 120_000 }, () => {
  test('begins with the newest snapshot, and asks for nothing while nothing is new', async () => {
    expect(await run()).toBe('equals snapshot 2026-06-02');
    await expectEqual();
    expect(await run()).toBe('nothing is new');
  });

  test.for(NEXT_DAYS)('follows the feed to %s, benchmarks and deletes too', async (days) => {
    await service.publish(({ store }) => publishFromFixture('days', store, days));
    expect(await run()).toBe(`equals snapshot ${days.at(-1)}`);
    await expectEqual();
  });

  test.each([
    ['another cursor, one that is ahead', "UPDATE state SET value = 'OTk5OTk5OTk' WHERE name = 'cursor'"],
    ['another cursor, of the beginning, whose events it has', "UPDATE state SET value = 'MA' WHERE name = 'cursor'"],
    ['a copy that somebody changed', "DELETE FROM records WHERE dataset = 'scores'"],
  ])('comes to the same from %s', async (_, damage) => {
    inCopy((copy) => copy.exec(`${damage}; DELETE FROM state WHERE name = 'tag'`));
    expect(await run()).toBe('equals snapshot 2026-06-06');
    await expectEqual();
  });

  test('says so where its key is refused', async () => {
    await expect(run('msk_wrong')).rejects.toThrow(/401/);
  });
});

test.skipIf(!HAS_PYTHON)('its numbers are written as JavaScript writes them', async () => {
  const usual = [0, -0, 1, -1, 0.1, 100, 123456789.125, 0.30000000000000004, 0.000012345, 2 ** 53];
  const small = [5e-324, 1e-6, 1.5e-6, 1e-7, 1.25e-7, -1e-7];
  const large = [1e15, 1e16, 1.5e16, 1e20, 123456789012345680000, 1e21, 1.5e21, 1e22, 1.7976931348623157e308];
  const many = Array.from({ length: 2000 }, (_, index) => Math.sin(index + 1) * 10 ** ((index % 60) - 30));
  const numbers = [...usual, ...small, ...large, ...many];
  const program = readFileSync(at('mirror.py'), 'utf8').replace(/^main\(.*$/m, '');
  const asking = `${program}\nfor text in json.loads(sys.stdin.read()): print(text_of(json.loads(text)))`;
  const child = promisify(execFile)('python3', ['-c', asking], { env: { ...process.env, MODELSTATS_API_KEY: 'x' } });
  // As texts of JSON with an exponent or a point, so that Python reads floats.
  child.child.stdin?.end(JSON.stringify(numbers.map((number) => `${number.toExponential()}`)));
  const { stdout } = await child;
  expect(stdout.trim().split('\n')).toEqual(numbers.map((number) => JSON.stringify(number)));
});
