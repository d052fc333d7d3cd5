import { expect, test } from 'vitest';
import { addDays, type Day } from '../schemas/day.ts';
import type { Manifest } from '../schemas/manifest.ts';
import type { SnapshotRights } from './rights.ts';
import { snapshotsOfVersion, visibleSnapshots } from './snapshot-rights.ts';
import { RequestInvalid } from './validation.ts';

const TODAY = '2026-06-11';
/** Every day from 2025-12-30 to 2026-06-10, but not the last one of January. */
const DAYS = Array.from({ length: 163 }, (_, i) => addDays('2025-12-30', i)).filter((day) => day !== '2026-01-31');

function manifest(day: Day): Manifest {
  const at = `${day}T23:59:59Z`;
  const named = { id: day, published_at: at, data_as_of: at, schema_version: '1.0' };
  return { ...named, datasets: [], change_cursor: 'MA', prev_id: null };
}

function visible(snapshots: SnapshotRights, historyMonths: number | null = null, days: readonly Day[] = DAYS) {
  return visibleSnapshots(days.map(manifest), { plan: 'p', historyMonths, snapshots }, TODAY).map(({ id }) => id);
}

test('all are all', () => {
  expect(visible('all')).toEqual(DAYS);
});

test('latest is exactly the newest', () => {
  expect(visible('latest')).toEqual(['2026-06-10']);
  expect(visible('latest', null, [])).toEqual([]);
});

test('daily are the newest so many, and the last stored one of every month', () => {
  const ends = ['2025-12-31', '2026-01-30', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'];
  expect(visible({ daily: 2 })).toEqual([...ends, '2026-06-09', '2026-06-10']);
  expect(visible({ daily: 1000 })).toEqual(DAYS);
});

test('the month-ends go back as far as the history does, the daily ones regardless', () => {
  expect(visible({ daily: 2 }, 3)).toEqual(['2026-03-31', '2026-04-30', '2026-05-31', '2026-06-09', '2026-06-10']);
  expect(visible({ daily: 3 }, 0)).toEqual(['2026-06-08', '2026-06-09', '2026-06-10']);
});

test('without daily ones there are month-ends, of which the newest is one', () => {
  expect(visible({ daily: 0 }, 2)).toEqual(['2026-04-30', '2026-05-31', '2026-06-10']);
});

test('a version is asked for as major or major.minor; without one it is the major version in force', () => {
  const versions = ['0.9', '1.0', '1.1', '2.0'].map((schema_version) => ({ ...manifest(TODAY), schema_version }));
  const of = (wanted?: string) => snapshotsOfVersion(versions, wanted).map(({ schema_version: version }) => version);
  expect(of()).toEqual(['1.0', '1.1']);
  expect(of('1')).toEqual(['1.0', '1.1']);
  expect(of('1.1')).toEqual(['1.1']);
  expect(of('2')).toEqual(['2.0']);
  for (const unknown of ['3', '1.2', '1.', '.', 'x', '01']) expect(() => of(unknown), unknown).toThrow(RequestInvalid);
  expect(snapshotsOfVersion([], '1.0')).toEqual([]);
});
