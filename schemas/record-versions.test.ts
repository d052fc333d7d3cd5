import { describe, expect, it, test } from 'vitest';
import { versionOneOne, versionsWith, versionTwo } from '../test/support/schemas/record-versions.ts';
import { DATASETS, publishedColumns, publishedName } from './datasets.ts';
import { datasetWithFields, defineVersions, majorOf, numberFromVersion, type RecordVersion } from './record-version.ts';
import {
  findVersion,
  getVersion,
  isVersion,
  noticedVersions,
  RECORD_VERSIONS,
  renewedDatasets,
  SCHEMA_VERSION,
  storedColumns,
  versionInForce,
} from './record-versions.ts';

const NOTICE = '2026-04-01';
const CUTOVER = '2026-05-01';
const VERSIONS = versionsWith(versionTwo(CUTOVER, NOTICE));
const [ONE] = RECORD_VERSIONS as readonly [RecordVersion];

/** The newest snapshot of a store that was there before. */
const on = (versions: readonly RecordVersion[], day: string) => ({
  day,
  schema_version: versionInForce(versions, day).version,
});

const names = (versions: readonly RecordVersion[]) => versions.map(({ version }) => version);

test('production publishes 1.0 until 2026-11-22, and then 1.1; days of the newest version have the fields of the table', () => {
  expect(names(RECORD_VERSIONS).slice(0, 2)).toEqual(['1.0', '1.1']);
  const versions = [
    ['2000-01-01', '1.0'] as const,
    ['2026-11-22', '1.0'],
    ['2026-11-23', '1.1'],
    ['2999-12-31', SCHEMA_VERSION],
  ];
  for (const [day, version] of versions) {
    expect([day, versionInForce(RECORD_VERSIONS, day).version]).toEqual([day, version]);
    expect(noticedVersions(RECORD_VERSIONS, day)).toEqual([]);
  }
  expect(versionInForce(RECORD_VERSIONS, '2999-12-31').datasets).toBe(DATASETS);
});

test('every field that says with which version it came names one of them', () => {
  const added = Object.values(DATASETS).flatMap(({ columns }) => columns.flatMap((column) => column.addedIn ?? []));
  expect(names(RECORD_VERSIONS).slice(1)).toEqual(expect.arrayContaining(added));
});

test('version 1.1 gives models and prices their source, before updated_at, and nothing else', () => {
  const [before, after] = [getVersion(RECORD_VERSIONS, '1.0'), getVersion(RECORD_VERSIONS, '1.1')];
  expect(renewedDatasets(before, after)).toEqual(['models', 'pricing']);
  for (const name of ['models', 'pricing'] as const) {
    const [old, now] = [before, after].map(({ datasets }) => publishedColumns(datasets[name]).map(publishedName));
    expect(now).toEqual([...(old ?? []).slice(0, -1), 'source', 'updated_at']);
    expect(storedColumns(name, before).map((column) => column.name)).toEqual(old);
    expect(storedColumns(name, after)).toEqual(after.datasets[name].columns);
  }
  expect(storedColumns('scores', before)).toEqual(storedColumns('scores', after));
});

test.each([
  { day: '2026-03-31', inForce: '1.0', noticed: [] },
  { day: NOTICE, inForce: '1.0', noticed: ['2.0'] },
  { day: '2026-04-30', inForce: '1.0', noticed: ['2.0'] },
  { day: CUTOVER, inForce: '2.0', noticed: [] },
  { day: '2027-01-01', inForce: '2.0', noticed: [] },
])('on $day $inForce is in force, and $noticed under notice', ({ day, inForce, noticed }) => {
  expect(versionInForce(VERSIONS, day).version).toBe(inForce);
  expect(names(noticedVersions(VERSIONS, day))).toEqual(noticed);
});

test('a minor version comes into force without a notice', () => {
  const versions = versionsWith(versionOneOne(CUTOVER));
  expect(names(noticedVersions(versions, '2026-04-30'))).toEqual([]);
  expect(versionInForce(versions, '2026-04-30').version).toBe('1.0');
  expect(versionInForce(versions, CUTOVER).version).toBe('1.1');
});

describe('a schema_version parameter', () => {
  it.each([
    { text: '1', day: CUTOVER, version: '1.0' },
    { text: '1.0', day: CUTOVER, version: '1.0' },
    { text: '2', day: NOTICE, version: '2.0' },
    { text: '2.0', day: CUTOVER, version: '2.0' },
  ])('$text names $version on $day', ({ text, day, version }) => {
    expect(findVersion(text, VERSIONS, on(VERSIONS, day))?.version).toBe(version);
  });

  it.each(['2', '2.0'])('%s is unknown before its notice', (text) => {
    expect(findVersion(text, VERSIONS, on(VERSIONS, '2026-03-31'))).toBeUndefined();
  });

  it.each(['', '0', '3', '1.1', '1.00', '01', '1.', '.0', 'v1', ' 1', '1 ', '1.0.0', '1e0', '+1', 'latest'])(
    '%o is unknown',
    (text) => expect(findVersion(text, VERSIONS, on(VERSIONS, CUTOVER))).toBeUndefined(),
  );

  it('that is a major names its newest version in force', () => {
    const versions = versionsWith(versionOneOne(NOTICE), versionTwo('2026-06-01', '2026-04-15'));
    expect(findVersion('1', versions, on(versions, '2026-03-31'))?.version).toBe('1.0');
    expect(findVersion('1', versions, on(versions, NOTICE))?.version).toBe('1.1');
    expect(findVersion('1.0', versions, on(versions, NOTICE))?.version).toBe('1.0');
    expect(findVersion('1', versions, on(versions, '2026-06-01'))?.version).toBe('1.1');
  });

  it('is known, too, where a store began in it with days before it', () => {
    const newest = { day: '2026-03-31', schema_version: '2.0' };
    expect(findVersion('2', VERSIONS, newest)?.version).toBe('2.0');
    expect(findVersion('1', VERSIONS, newest)?.version).toBe('1.0');
  });

  it('lets manifests of its major or of exactly its version pass', () => {
    expect(['1.0', '1.1', '2.0', '10.0'].filter((version) => isVersion(version, '1'))).toEqual(['1.0', '1.1']);
    expect(['1.0', '1.1', '2.0'].filter((version) => isVersion(version, '1.1'))).toEqual(['1.1']);
  });
});

test.each(['', '1', '1.', '0.1', '01.0', '1.00', '1.0.0', '1.0\n'])('%o is no major.minor', (text) => {
  expect(numberFromVersion(text)).toBeUndefined();
  expect(() => majorOf({ version: text })).toThrow();
});

const two = versionTwo(CUTOVER);
const withModels = (...fields: Parameters<typeof datasetWithFields>[1]): RecordVersion => ({
  ...two,
  datasets: { ...two.datasets, models: datasetWithFields(DATASETS.models, fields) },
});

it.each<[string, readonly RecordVersion[], string]>([
  ['without a version', [], 'there is no version'],
  ['whose first version begins some day', [{ ...ONE, inForceFrom: CUTOVER }], '1.0: the first version is in force'],
  ['with a version that is no number', [ONE, { ...two, version: '2' }], '2: is not a major.minor'],
  ['with a version that never comes', [ONE, { ...two, inForceFrom: null }], '2.0: has no day'],
  ['with a day that is none', [ONE, { ...two, inForceFrom: '2026-02-30' }], '2.0: has no day'],
  ['out of order', [ONE, two, { ...two, version: '3.0' }], '3.0: comes into force before 2.0'],
  ['that leaves a major out', [ONE, { ...two, version: '3.0' }], '3.0: does not follow 1.0'],
  ['whose new major has a minor', [ONE, { ...two, version: '2.1' }], '2.1: does not follow 1.0'],
  ['that leaves a minor out', [ONE, { ...versionOneOne(CUTOVER), version: '1.2' }], '1.2: does not follow 1.0'],
  ['with a major without a notice', [ONE, { ...two, noticeFrom: null }], 'notice of at least 30 days'],
  ['with a notice of 29 days', [ONE, { ...two, noticeFrom: '2026-04-02' }], 'notice of at least 30 days'],
  ['with a minor under notice', [ONE, { ...versionOneOne(CUTOVER), noticeFrom: NOTICE }], 'a minor version has no'],
  ['with a minor that renames', [ONE, { ...two, version: '1.1', noticeFrom: null }], 'models renames or removes'],
  [
    'with a minor that adds what is not optional',
    [{ ...ONE, datasets: withModels('id', 'updated_at').datasets }, { ...versionOneOne(CUTOVER) }],
    '1.1: models adds name, which is not optional',
  ],
  ['with a key under another name', [ONE, withModels(['id', 'model'], 'updated_at')], 'models does not begin with'],
  ['with a key that is not first', [ONE, withModels('name', 'id', 'updated_at')], 'models does not begin with'],
  ['without an updated_at', [ONE, withModels('id', 'name')], 'models has no updated_at'],
  ['with a name twice', [ONE, withModels('id', 'name', ['organization', 'name'], 'updated_at')], 'a name twice'],
  ['with a column twice', [ONE, withModels('id', 'name', ['name', 'title'], 'updated_at')], 'a column twice'],
  ['with a name that needs escaping', [ONE, withModels('id', ['name', 'na"me'], 'updated_at')], `called na"me`],
])('a list of versions is refused %s', (_, versions, problem) => {
  expect(() => defineVersions(versions)).toThrow(problem);
});
