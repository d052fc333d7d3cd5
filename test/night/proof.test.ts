/** A night proves what it has written before it publishes (specification "Proof"): here its files are spoiled just before. */
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { runNight } from '../../pipeline/night/night.ts';
import type { Day } from '../../runtime/day.ts';
import { sqlText } from '../../storage/duckdb/database.ts';
import { listReleases } from '../support/pipeline/published.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { type DayRows, writeDay } from '../support/pipeline/write-day.ts';
import { useFolder } from '../support/temporary-folder.ts';

const [YESTERDAY, TODAY]: readonly [Day, Day] = ['2026-06-01', '2026-06-02'];
const EVENTS = 'changes.parquet';
const rowsOf = (...names: readonly string[]): DayRows => ({
  models: names.map((name, index) => ({ id: `m${index}`, name })),
  benchmarks: [{ id: 'b', name: 'B' }],
});

/** Yesterday's, which no spoiled night changes. */
let store: TemporaryStore;
const source = useFolder();
beforeAll(async () => {
  store = await openTemporaryStore();
  await store.publish(YESTERDAY, rowsOf('a', 'b', 'c'));
  await writeDay(source(TODAY), rowsOf('a', 'changed', 'c', 'new'));
  const copied = nightSpoiledBy((release) => {
    copyFileSync(join(release, EVENTS), source(EVENTS));
    throw new Error('it was only to be copied from');
  });
  await expect(copied).rejects.toThrow('copied from');
  return () => store.dispose();
});

/** Today's night, whose files somebody changes before they are proven; `release` is the folder they lie in. */
function nightSpoiledBy(spoil: (release: string) => void) {
  const { workFolder } = store.deps;
  const releaseFolder = () => {
    const runs = readdirSync(join(workFolder, 'runs')).map((run) => join(workFolder, 'runs', run, 'tmp/release'));
    return runs.find((folder) => existsSync(folder)) ?? '';
  };
  return runNight(
    { day: TODAY, source: source(), dryRun: false, accept: true, acceptSuspects: [] },
    {
      ...store.deps,
      clock: () => new Date(`${TODAY}T23:00:00Z`),
      onStage: (stage) => {
        if (stage === 'prove') spoil(releaseFolder());
      },
    },
  );
}

function editLines(name: string, edit: (lines: string) => string, level = 6) {
  return (release: string) => {
    const path = join(release, `snapshot/${name}.jsonl.gz`);
    writeFileSync(path, gzipSync(edit(gunzipSync(readFileSync(path)).toString('utf8')), { level }));
  };
}

async function replaceEvents(query: string) {
  const other = source('other.parquet');
  const select = `SELECT ${query} FROM read_parquet(${sqlText(source(EVENTS))})`;
  await store.reader.run(`COPY (${select}) TO ${sqlText(other)} (FORMAT parquet)`);
  return (release: string) => copyFileSync(other, join(release, EVENTS));
}

const FAILED = /proof failed/;
/** A spoiled file, or the night's events as a query over them gives them. */
type Spoil = ((release: string) => void) | string;

test.each<[string, Spoil, RegExp]>([
  ['a record has another value', editLines('models', (lines) => lines.replace('"changed"', '"muddled"')), FAILED],
  [
    'a record that did not change is gone',
    editLines('models', (lines) => lines.slice(lines.indexOf('\n') + 1)),
    FAILED,
  ],
  [
    'a dataset without events has another line',
    editLines('benchmarks', (lines) => lines.replace('"B"', '"C"')),
    /benchmarks of 2026-06-02 reads back differently/,
  ],
  [
    'the same lines are packed into other bytes',
    editLines('models', (lines) => lines, 1),
    /models of 2026-06-02 reads back differently/,
  ],
  ['an event has a number too high', "* REPLACE (seq + if(op = 'upsert', 1, 0) AS seq)", FAILED],
  ['two events have one number', '* REPLACE (4 AS seq)', FAILED],
  ['an event is in another version', "* REPLACE ('2.0' AS schema_version)", FAILED],
  ['an event deletes what is there', "* REPLACE ('delete' AS op, NULL::VARCHAR AS data)", FAILED],
])('a night whose own files don’t follow from yesterday publishes nothing: %s', async (_, spoil, says) => {
  const change = typeof spoil === 'string' ? await replaceEvents(spoil) : spoil;
  await expect(nightSpoiledBy(change)).rejects.toThrow(says);
  expect((await listReleases(store)).map(({ day }) => day)).toEqual([YESTERDAY]);
});

test('the same night publishes when nobody spoils its files', async () => {
  expect(await nightSpoiledBy(() => {})).toMatchObject({ status: 'published', events: { upsert: 2, delete: 0 } });
});
