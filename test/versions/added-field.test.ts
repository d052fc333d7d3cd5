/**
 * A field that came with a version of the records, in histories (decision 0076): its points lack it before the cutover, also where a
 * record's interval goes on over it, so an answer about those days stays what it was. The histories here have `source` too, which came
 * with 1.1.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type BuiltView, buildView, type ViewFile } from '../../api/view/follow/build-view.ts';
import { HISTORY_SOURCES, type HistorySource } from '../../api/view/history-kinds.ts';
import { OPEN } from '../../api/view/schema.ts';
import { captured } from '../../api/view/write/history-rows.ts';
import { writeView } from '../../api/view/write/write-view.ts';
import { dayFromNumber } from '../../runtime/day.ts';
import { DATASETS, mapDatasets } from '../../schemas/datasets.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { getVersion, RECORD_VERSIONS, SCHEMA_VERSION } from '../../schemas/record-versions.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { Database, sqlText } from '../../storage/duckdb/database.ts';
import { DUCKDB_TYPES } from '../../storage/duckdb/record-sql.ts';
import { nullable, text } from '../../storage/duckdb/row-shape.ts';
import { dumpView } from '../support/api/dump-view.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { AFTER, CUTOVER, DAYS, FIRST, LAST, publishSourcedDays } from '../worlds/sourced-days.ts';

const NEWEST = getVersion(RECORD_VERSIONS, SCHEMA_VERSION);
const place = useFolder();
let store: TemporaryStore;
beforeAll(async () => {
  store = await openTemporaryStore();
});
afterAll(() => store.dispose());

function withSource(history: HistorySource): HistorySource {
  return {
    ...history,
    payload: [...history.payload, ...history.dataset.columns.filter(({ name }) => name === 'source')],
  };
}

const histories = {
  ...HISTORY_SOURCES,
  metadata: withSource(HISTORY_SOURCES.metadata),
  pricing: withSource(HISTORY_SOURCES.pricing),
};

async function build(name: string, previous: ViewFile | undefined): Promise<BuiltView> {
  const { catalog } = await loadCatalog(store.deps.store);
  if (catalog === undefined) throw new Error('nothing is published');
  const duckdb = { memoryLimit: '300MB', threads: 1 };
  const deps = { store: store.deps.store, downloadsMax: 4, duckdb, histories, write: writeView };
  return buildView({ catalog, previous, path: place(`${name}.sqlite`), scratch: join(place(name), 'parts') }, deps);
}

/** First day, last day or null, and source of each interval of a model. */
function sourcesOf(
  rows: readonly string[] | undefined,
  of: { readonly kind: string; readonly model: string },
): readonly (readonly unknown[])[] {
  return (rows ?? [])
    .map((row) => JSON.parse(row))
    .filter(({ kind, model }) => kind === of.kind && model === of.model)
    .map(({ valid_from: from, valid_to: to, text: said }) => {
      const [, payload] = said.split('\t');
      return [dayFromNumber(from), to === OPEN ? null : dayFromNumber(to), JSON.parse(payload).source ?? null];
    });
}

test('night by night a field is null on the days before its version, in a view that is extended as in one built from nothing', async () => {
  const seen: Record<string, Readonly<Record<string, readonly string[]>>> = {};
  let view: BuiltView | undefined;
  for (const day of DAYS) {
    await publishSourcedDays(store, [day]);
    const rebuilt = await build(`${day}-anew`, undefined);
    view = await build(day, view);
    // A new version may change intervals of earlier days.
    expect(view.isExtended).toBe(day !== FIRST && day !== CUTOVER);
    const dump = dumpView(view.path);
    expect(dump).toEqual(dumpView(rebuilt.path));
    seen[day] = dump;
  }
  const sources = (day: string, kind: string, model: string) => sourcesOf(seen[day]?.['intervals'], { kind, model });
  for (const kind of ['metadata', 'pricing']) {
    expect(sources(LAST, kind, 'same')).toEqual([[FIRST, null, null]]);
    expect(sources(LAST, kind, 'gone')).toEqual([[FIRST, null, null]]);
    expect(sources(CUTOVER, kind, 'new')).toEqual([[CUTOVER, null, 'shop']]);
    expect(sources(CUTOVER, kind, 'same')).toEqual([
      [FIRST, LAST, null],
      [CUTOVER, null, 'shop'],
    ]);
  }
  expect(sources(AFTER, 'metadata', 'same')).toEqual(sources(CUTOVER, 'metadata', 'same'));
  expect(sources(AFTER, 'pricing', 'same')).toEqual([
    [FIRST, LAST, null],
    [CUTOVER, CUTOVER, 'shop'],
    [AFTER, null, 'mall'],
  ]);
  expect(sources(AFTER, 'pricing', 'gone')).toEqual([[FIRST, LAST, null]]);
});

test('of two fields that came one after the other, each is null before its own version', async () => {
  const settings = { memoryLimit: '300MB', threads: 1, tempFolder: place('spill') };
  const database = await Database.open(':memory:', settings);
  onTestFinished(() => database.close());
  const given: Readonly<Record<string, string>> = {
    id: `'a'`,
    name: `'A'`,
    organization: `'X'`,
    release_date: `'2026-01-01'`,
  };
  const values = DATASETS.models.columns.map(
    ({ name, type }) => `${given[name] ?? 'NULL'}::${DUCKDB_TYPES[type]} AS ${name}`,
  );
  const path = place('models.parquet');
  const row = `SELECT ${values.join(', ')}, DATE '2026-06-01' AS valid_from`;
  await database.run(`COPY (${row}) TO ${sqlText(path)} (FORMAT parquet)`);
  const [first, second, third] = [without('organization', 'release_date'), without('release_date'), without()];
  const cutovers = [
    { day: '2026-06-03', before: first, now: second },
    { day: '2026-06-05', before: second, now: third },
  ];
  const parts = { state: mapDatasets(() => path), closed: mapDatasets(() => []), backfill: undefined };
  const intervals = await captured(database, HISTORY_SOURCES.metadata, { parts, cutovers, since: undefined });
  const shape = { valid_from: text, valid_to: nullable(text), organization: nullable(text), released: nullable(text) };
  const said = `payload ->> '$.organization' AS organization, payload ->> '$.release_date' AS released`;
  const days = 'valid_from::VARCHAR AS valid_from, valid_to::VARCHAR AS valid_to';
  expect(await database.rows(shape, `SELECT ${days}, ${said} FROM (${intervals}) i ORDER BY i.valid_from`)).toEqual([
    { valid_from: '2026-06-01', valid_to: '2026-06-02', organization: null, released: null },
    { valid_from: '2026-06-03', valid_to: '2026-06-04', organization: 'X', released: null },
    { valid_from: '2026-06-05', valid_to: null, organization: 'X', released: '2026-01-01' },
  ]);
});

/** A version of the records whose models lack some columns. */
function without(...names: readonly string[]): RecordVersion {
  const columns = DATASETS.models.columns.filter(({ name }) => !names.includes(name));
  return { ...NEWEST, datasets: { ...DATASETS, models: { ...DATASETS.models, columns } } };
}
