import { expect, test } from 'vitest';
import { HISTORY_MONTHS_FULL, type SnapshotAccess } from '../../accounts/plans/plans.ts';
import { addDays, type Day } from '../../schemas/day.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { visibleSnapshots } from './visible-snapshots.ts';

const TODAY = '2026-06-11';
/** Every day from 2025-12-30 to 2026-06-10, but not the last one of January. */
const DAYS = Array.from({ length: 163 }, (_, i) => addDays('2025-12-30', i)).filter((day) => day !== '2026-01-31');

function manifest(day: Day): Manifest {
  const at = `${day}T23:59:59Z`;
  const named = { id: day, published_at: at, data_as_of: at, schema_version: '1.0' };
  return { ...named, datasets: [], change_cursor: 'MA', prev_id: null };
}

function visible(snapshots: SnapshotAccess | null, historyMonths = HISTORY_MONTHS_FULL, days: readonly Day[] = DAYS) {
  return visibleSnapshots(days.map(manifest), { plan: 'p', historyMonths, snapshots }, TODAY).map(({ id }) => id);
}

test('all are all', () => {
  expect(visible(null)).toEqual(DAYS.toReversed());
});

test('latest is exactly the newest', () => {
  expect(visible({ newest: 1, monthEnds: false })).toEqual(['2026-06-10']);
  expect(visible({ newest: 1, monthEnds: false }, HISTORY_MONTHS_FULL, [])).toEqual([]);
});

test('daily are the newest so many, and the last stored one of every month', () => {
  const ends = ['2025-12-31', '2026-01-30', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'];
  expect(visible({ newest: 2, monthEnds: true })).toEqual(['2026-06-10', '2026-06-09', ...ends.toReversed()]);
  expect(visible({ newest: 1000, monthEnds: true })).toEqual(DAYS.toReversed());
});

test('the month-ends go back as far as the history does, the daily ones regardless', () => {
  expect(visible({ newest: 2, monthEnds: true }, 3)).toEqual([
    '2026-06-10',
    '2026-06-09',
    '2026-05-31',
    '2026-04-30',
    '2026-03-31',
  ]);
  expect(visible({ newest: 3, monthEnds: true }, 0)).toEqual(['2026-06-10', '2026-06-09', '2026-06-08']);
});

test('without daily ones there are month-ends, of which the newest is one', () => {
  expect(visible({ newest: 0, monthEnds: true }, 2)).toEqual(['2026-06-10', '2026-05-31', '2026-04-30']);
});
