import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { linesFromRows } from '../support/pipeline/write-day.ts';
import { answersFrom, envOf, runCli } from '../support/processes/cli.ts';

/** Whole nights in processes of their own. */
vi.setConfig({ testTimeout: 120_000 });

const DAY = '2024-03-10';
const UPDATED = ['2024-03-09T23:30:00', '2024-03-10 02:30:00', '2024-03-09T23:30:00+14:00', '2024-03-10T02:30:00Z'];
const PRICES = [0.0001, 1.5, '2.25', 1e4];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-zone-'));
  const day = join(folder, 'source', DAY);
  await mkdir(day, { recursive: true });
  const ids = ['i', 'I', 'İ', 'ı'];
  const models = ids.map((id, i) => ({ id, name: id, release_date: DAY, updated_at: UPDATED[i] }));
  const prices = ids.map((id, i) => ({ model_id: id, provider: 'p', input_per_million: PRICES[i] }));
  await writeFile(join(day, 'models.jsonl'), linesFromRows(models));
  await writeFile(join(day, 'upstream.csv'), `m,v,seen\n${UPDATED.map((at, i) => `${ids[i]},0.5,${at}\n`).join('')}`);
  await writeFile(join(day, 'benchmarks.jsonl'), linesFromRows([{ id: 'b', name: 'B' }]));
  await writeFile(join(day, 'pricing.jsonl'), linesFromRows(prices));
  const select = `SELECT m AS model_id, 'b' AS benchmark_id, v AS value, seen::TIMESTAMPTZ AS updated_at FROM read_csv('upstream.csv', types = {seen: 'VARCHAR'})`;
  await writeFile(join(day, 'source.sql'), `-- scores\n${select}`);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The hashes of what a night publishes in a process with a zone and a language. */
async function publishIn(zone: string, locale: string) {
  const place = { store: join(folder, zone, 'store'), work: join(folder, zone, 'work') };
  const args = ['nightly', '--source', join(folder, 'source'), '--day', DAY, '--json'];
  const env = { ...envOf(place), TZ: zone, LC_ALL: locale, LANG: locale };
  const { code, stdout } = await runCli(args, { env });
  const [answer] = answersFrom(stdout);
  expect({ code, quarantined: answer?.['quarantined'], problems: answer?.['problems'] }).toEqual({
    code: 0,
    quarantined: 0,
    problems: [],
  });
  const run = JSON.parse(await readFile(join(place.store, 'catalog.json'), 'utf8')).releases[0].run;
  const manifest = await readFile(join(place.store, 'releases', `${DAY}.${run}`, 'snapshot', 'manifest.json'), 'utf8');
  const { datasets, data_as_of } = JSON.parse(manifest);
  return { data_as_of, hashes: datasets.map((file: { readonly content_sha256: string }) => file.content_sha256) };
}

test("a night publishes the same bytes whatever the machine's zone and language", async () => {
  const here = await publishIn('UTC', 'C');
  expect(here.data_as_of).toBe(`${DAY}T23:59:59Z`);
  for (const [zone, locale] of [
    ['Pacific/Kiritimati', 'tr_TR.UTF-8'],
    ['America/New_York', 'de_DE.UTF-8'],
  ] as const) {
    expect(await publishIn(zone, locale)).toEqual(here);
  }
});
