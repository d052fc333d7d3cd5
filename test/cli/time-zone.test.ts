import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { writeDay } from '../support/pipeline/write-day.ts';
import { envOf, responsesFrom, runCli } from '../support/processes/cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

const DAY = '2024-03-10';
const UPDATED = ['2024-03-09T23:30:00', '2024-03-10 02:30:00', '2024-03-09T23:30:00+14:00', '2024-03-10T02:30:00Z'];
const PRICES = [0.0001, 1.5, '2.25', 1e4];

const path = useFolder();

beforeAll(async () => {
  const day = path('source', DAY);
  const ids = ['i', 'I', 'İ', 'ı'];
  const models = ids.map((id, i) => ({ id, name: id, release_date: DAY, updated_at: UPDATED[i] }));
  const prices = ids.map((id, i) => ({ model_id: id, provider: 'p', input_per_million: PRICES[i] }));
  await writeDay(day, { models, benchmarks: [{ id: 'b', name: 'B' }], pricing: prices });
  await writeFile(join(day, 'upstream.csv'), `m,v,seen\n${UPDATED.map((at, i) => `${ids[i]},0.5,${at}\n`).join('')}`);
  const select = `SELECT m AS model_id, 'b' AS benchmark_id, v AS value, seen::TIMESTAMPTZ AS updated_at FROM read_csv('upstream.csv', types = {seen: 'VARCHAR'})`;
  await writeFile(join(day, 'source.sql'), `-- scores\n${select}`);
});

/** The hashes of what a night publishes in a process with a zone and a language. */
async function publishIn(zone: string, locale: string) {
  const place = { store: path(zone, 'store'), work: path(zone, 'work') };
  const args = ['nightly', '--source', path('source'), '--day', DAY, '--json'];
  const env = { ...envOf(place), TZ: zone, LC_ALL: locale, LANG: locale };
  const { code, stdout } = await runCli(args, { env });
  const [response] = responsesFrom(stdout);
  expect({ code, quarantined: response?.['quarantined'], problems: response?.['problems'] }).toEqual({
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
  expect(await publishIn('Pacific/Kiritimati', 'tr_TR.UTF-8')).toEqual(here);
});
