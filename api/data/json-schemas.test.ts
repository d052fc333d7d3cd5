/** The served JSON Schemas, with a validator that is not ours (specification "JSON Schemas"). */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Change } from '../../schemas/change.ts';
import { DATASET_NAMES, DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import { downloadText } from '../../test/support/api/downloads.ts';
import type { TestApi } from '../../test/support/api/open-api.ts';
import { openOwnApi, useApi } from '../../test/support/api/use-api.ts';
import { recordsFrom } from '../../test/support/pipeline/published.ts';
import { CUTOVER, DAYS, FIRST, LAST, MOVED, publishRatedDays } from '../../test/worlds/rated-days.ts';
import { publishSmallDays, SMALL_DAYS, TODAY } from '../../test/worlds/small-days.ts';
import { SCHEMA_NAMES, type SchemaName } from './json-schemas.ts';

const VERSIONS = RECORD_VERSIONS.map(({ version }) => version);
const addressOf = (version: string, name: SchemaName) => `/schemas/${version}/${name}.json`;

/** What each schema says of a value; empty where it is valid. */
async function validatorsOf(api: TestApi) {
  const ajv = new Ajv2020({ allErrors: true });
  formats.default(ajv);
  for (const version of VERSIONS)
    for (const name of SCHEMA_NAMES) ajv.addSchema(await api.json(addressOf(version, name)));
  return (version: string, name: SchemaName, value: unknown): readonly string[] => {
    const validate = ajv.getSchema(addressOf(version, name));
    if (validate === undefined) throw new Error(`there is no schema ${addressOf(version, name)}`);
    return validate(value) ? [] : (validate.errors ?? []).map((each) => `${each.instancePath} ${each.message}`);
  };
}

interface Snapshot {
  readonly id: string;
  readonly schema_version: string;
}

/** All that the service has published, by the version of its records. */
async function publishedBy(api: TestApi) {
  const { snapshots } = (await api.json('/v1/snapshots')) as { snapshots: readonly Snapshot[] };
  const { events } = (await api.json('/v1/changes')) as { events: readonly Change[] };
  const records: { readonly version: string; readonly name: DatasetName; readonly record: object }[] = [];
  for (const { id, schema_version: version } of snapshots)
    for (const name of DATASET_NAMES)
      for (const record of recordsFrom(await downloadText(api, `/v1/snapshots/${id}/download?dataset=${name}`)))
        records.push({ version, name, record });
  return { snapshots, events, records };
}

const early = useApi({ days: publishSmallDays, now: `${TODAY}T12:00:00Z` });
const late = useApi({ days: publishRatedDays, now: `${MOVED}T12:00:00Z` });

describe('every record, event and manifest that is published', () => {
  let problemsOf: Awaited<ReturnType<typeof validatorsOf>>;
  let published: readonly Awaited<ReturnType<typeof publishedBy>>[];
  beforeAll(async () => {
    problemsOf = await validatorsOf(early);
    published = [await publishedBy(early), await publishedBy(late)];
  });

  /** A record in 1.2. */
  const newest = (name: SchemaName) =>
    published.flatMap(({ records }) => records).find((one) => one.version === '1.2' && one.name === name)?.record;

  test('is valid by the schema of its version', () => {
    const seen = new Set<string>();
    for (const { snapshots, events, records } of published) {
      for (const { version, name, record } of records) {
        expect(problemsOf(version, name, record), JSON.stringify(record)).toEqual([]);
        seen.add(`${version} ${name}`);
      }
      for (const event of events) {
        expect(problemsOf(event.schema_version, 'event', event), JSON.stringify(event)).toEqual([]);
        seen.add(`${event.schema_version} ${event.entity_type} ${event.op}`);
      }
      for (const manifest of snapshots) expect(problemsOf(manifest.schema_version, 'manifest', manifest)).toEqual([]);
    }
    const all = VERSIONS.flatMap((version) => DATASET_NAMES.map((name) => `${version} ${name}`));
    expect([...seen]).toEqual(expect.arrayContaining(all));
    expect([...seen].filter((each) => each.endsWith('upsert'))).toHaveLength(4 * 2 + 3);
    expect([...seen].filter((each) => each.endsWith('delete')).length).toBeGreaterThan(4);
  });

  test('is valid by the schemas of earlier minor versions too: new fields break no reader', () => {
    for (const { version, name, record } of published.flatMap(({ records }) => records))
      for (const earlier of VERSIONS.slice(0, VERSIONS.indexOf(version)))
        expect(problemsOf(earlier, name, record)).toEqual([]);
  });

  test('is invalid once a field is missing or null that must not be, or is of another type', () => {
    const all = published.flatMap(({ records }) => records);
    const one = new Map(all.map((each) => [`${each.version} ${each.name}`, each]));
    for (const { version, name, record } of one.values()) {
      const fields: readonly string[] = Object.keys(record);
      for (const field of fields) {
        const without = Object.fromEntries(Object.entries(record).filter(([each]) => each !== field));
        expect(problemsOf(version, name, without)).toEqual([` must have required property '${field}'`]);
        expect(problemsOf(version, name, { ...record, [field]: { wrong: 1 } }), field).not.toEqual([]);
        const isNullable = DATASETS[name].columns.find((column) => column.name === field)?.nullable === true;
        expect(problemsOf(version, name, { ...record, [field]: null }).length === 0, field).toBe(isNullable);
      }
    }
  });

  test.each<[SchemaName, object]>([
    ['models', { release_date: '2026-13-01' }],
    ['models', { context_length: 1.5 }],
    ['models', { id: '' }],
    ['models', { id: 'x'.repeat(201) }],
    ['models', { knowledge_cutoff: 'May' }],
    ['models', { modalities: { input: ['text'] } }],
    ['models', { updated_at: '2026-06-01' }],
    ['scores', { stderr: -1 }],
    ['pricing', { rates: [{ meter: 'input' }] }],
    ['pricing', { input_per_million: -1 }],
    ['rankings', { rank: 0 }],
  ])('%s with %o is refused', (name, wrong) => {
    const record = newest(name);
    expect(problemsOf('1.2', name, record)).toEqual([]);
    expect(problemsOf('1.2', name, { ...record, ...wrong })).not.toEqual([]);
  });

  test.each<[SchemaName, object]>([
    ['models', { status: 'paused', another: 1 }],
    ['pricing', { rates: [{ meter: 'smell', unit: 'sniff', per: 1, price: 1, when: { tier: 'slow' }, also: true }] }],
  ])('%s with %o is valid: a later version may have it', (name, later) => {
    const record = newest(name);
    expect(problemsOf('1.2', name, { ...record, ...later })).toEqual([]);
  });

  test('an event with the record of another dataset is refused', () => {
    const events = published.flatMap(({ events: those }) => those).filter(({ op }) => op === 'upsert');
    const [score, price] = ['score', 'pricing'].map((type) => events.find((event) => event.entity_type === type));
    expect(problemsOf('1.0', 'event', { ...score, data: price?.data })).not.toEqual([]);
  });
});

test('a schema is found without a key, and is stored by caches and by its tag', async () => {
  const { app } = await openOwnApi({
    days: (store) => store.publish('2026-06-01', SMALL_DAYS['2026-06-01'] ?? {}),
    accounts: {},
  });
  const ask = (more = {}) => app.inject({ url: addressOf('1.2', 'models'), headers: more });
  const { statusCode, headers } = await ask();
  expect([statusCode, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(headers['cache-control']).toBe('public, max-age=86400, immutable');
  expect((await ask({ 'if-none-match': String(headers.etag) })).statusCode).toBe(304);
  expect((await app.inject('/schemas/1.2/nothing.json')).statusCode).toBe(404);
  expect((await app.inject('/schemas/9.9/models.json')).statusCode).toBe(404);
});

test.each([
  [{}, '/schemas/1.1/scores.json'],
  [{ basePath: '/stats' }, '/stats/schemas/1.1/scores.json'],
  [{ publicUrl: 'https://data.example', basePath: '/stats' }, 'https://data.example/stats/schemas/1.1/scores.json'],
])('with %o a schema is called %s', async (settings: { readonly basePath?: string }, id) => {
  const api = await openOwnApi({
    days: (store) => store.publish('2026-06-01', SMALL_DAYS['2026-06-01'] ?? {}),
    settings,
  });
  expect(await api.json(`${settings.basePath ?? ''}${addressOf('1.1', 'scores')}`)).toMatchObject({ $id: id });
});

test('the address without a version leads to the one in force', { timeout: 60_000 }, async () => {
  const api = await openOwnApi({ days: (store) => publishRatedDays(store, [FIRST, LAST]), now: `${MOVED}T12:00:00Z` });
  const target = async (name: SchemaName) => {
    const { statusCode, headers } = await api.get(`/schemas/${name}.json`);
    expect([statusCode, headers['cache-control']]).toEqual([302, 'public, max-age=60']);
    return new URL(String(headers.location), `http://localhost/schemas/${name}.json`).pathname;
  };
  expect(await target('models')).toBe('/schemas/1.1/models.json');
  await publishRatedDays(
    api.store,
    DAYS.filter((day) => day >= CUTOVER),
  );
  await api.follower.refresh();
  for (const name of SCHEMA_NAMES) {
    expect(await target(name)).toBe(addressOf('1.2', name));
    expect((await api.get(await target(name))).statusCode).toBe(200);
  }
});

test('before the first release there is no version in force, but each has its schema', async () => {
  const api = await openOwnApi({ days: [] });
  expect((await api.get('/schemas/models.json')).statusCode).toBe(503);
  expect((await api.get('/schemas/1.0/models.json')).statusCode).toBe(200);
});
