import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeNight } from '../../bin/commands/night/run-nights.ts';
import { runNight } from '../../pipeline/night/night.ts';
import { addDays } from '../../runtime/day.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { listReleases, readRelease } from '../support/pipeline/published.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';

/** The nights of a fixture, one after the other, each tried before it is run. */
async function openSeries(source: string) {
  const store = await openTemporaryStore();
  const tryNight = (day: string) =>
    runNight(
      { day, source: fixtureSource(source), dryRun: true, accept: false, acceptSuspects: [] },
      { ...store.deps, clock: () => new Date(`${addDays(day, 1)}T00:10:00Z`) },
    );
  return { store, tryNight, night: (day: string) => store.night(fixtureSource(source), day, { accept: true }) };
}

describe('a dry run', () => {
  let series: Awaited<ReturnType<typeof openSeries>>;
  let store: TemporaryStore;
  beforeAll(async () => {
    series = await openSeries('days');
    store = series.store;
  });
  afterAll(() => store.dispose());

  test('shows what the night then publishes, in numbers, and publishes nothing', async () => {
    const days = (await readdir(fixtureSource('days'))).filter((name) => name.startsWith('2026-')).sort();
    expect(days).toHaveLength(9);
    for (const day of days) {
      const before = await listReleases(store);
      const tried = await series.tryNight(day);
      expect({ day, status: tried.status }).toEqual({ day, status: 'dry_run' });
      expect(await listReleases(store)).toEqual(before);
      const previous = before.at(-1);
      const yesterday = previous && (await readRelease(store, previous)).records;
      const result = await series.night(day);
      const told = tried.preview?.datasets;
      for (const name of DATASET_NAMES) {
        expect(told?.[name].before).toBe(yesterday?.[name] ?? 0);
        expect(told?.[name].after).toBe(result.records?.[name]);
        expect(told?.[name].after).toBe(
          (told?.[name].before ?? 0) + (told?.[name].new ?? 0) - (told?.[name].gone ?? 0),
        );
      }
      const sum = (kind: 'new' | 'changed' | 'gone') =>
        DATASET_NAMES.filter((name) => name !== 'benchmarks').reduce((all, name) => all + (told?.[name][kind] ?? 0), 0);
      expect({ upsert: sum('new') + sum('changed'), delete: sum('gone') }).toEqual(result.events);
    }
  });
});

describe('the report of a dry run', () => {
  test('has the first records of each kind, what changes in them, and why rows were set aside', async () => {
    const { store, tryNight, night } = await openSeries('days');
    await night('2026-06-01');
    const second = await tryNight('2026-06-02');
    expect(second.preview?.datasets.pricing.examples.changed).toContainEqual({
      id: expect.any(String),
      fields: expect.arrayContaining([
        { field: expect.any(String), before: expect.anything(), after: expect.anything() },
      ]),
    });
    const { preview } = JSON.parse(await readFile(join(second.report ?? '', 'report.json'), 'utf8'));
    expect(preview).toEqual(JSON.parse(JSON.stringify(second.preview)));
    await night('2026-06-02');
    await night('2026-06-04');
    const bad = await tryNight('2026-06-06');
    expect(bad.preview?.set_aside).toContainEqual({
      dataset: 'scores',
      kind: 'bad',
      field: 'model_id',
      reason: 'is unknown and never existed',
      rows: expect.any(Number),
      first: { file: 'scores.jsonl', line: expect.any(Number), row: expect.any(Number), value: 'nobody-1' },
    });
    expect(describeNight(bad)).toMatch(
      /set aside:\n(?: {2}\w+: \d+ × .*\n)* {2}scores: 2 × model_id: is unknown and never existed \(the first in scores\.jsonl line 20: "nobody-1"\)/,
    );
    await store.dispose();
  });

  test('reads as text, and tells of a night that would be held what holds it and what it would do', async () => {
    const { store, tryNight, night } = await openSeries('held');
    await night('2026-06-01');
    const held = await tryNight('2026-06-02');
    expect(held.status).toBe('held');
    const text = describeNight(held);
    expect(text).toContain('held 2026-06-02');
    expect(text).toMatch(/│ scores +│ +10 │ +6 │ +0 │ +0 │ +4 │ +0 │/);
    expect(text).toMatch(/scores gone:\n {2}\S+/);
    expect(text).not.toContain('set aside');
    await store.dispose();
  });

  test('shows no more than a few records of each kind, and says how many there are besides', async () => {
    const { store, tryNight } = await openSeries('days');
    const first = await tryNight('2026-06-01');
    expect(first.preview?.datasets.models.examples.new).toHaveLength(5);
    expect(describeNight(first)).toMatch(/models new:\n(?: {2}\S.*\n){5} {2}… and 9 more/);
    await store.dispose();
  });
});

test('a night that is no dry run has no such report', async () => {
  const { store, night } = await openSeries('days');
  expect(await night('2026-06-01')).not.toHaveProperty('preview');
  await store.dispose();
});
