import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeNight } from '../../bin/commands/night/run-nights.ts';
import { runNight } from '../../pipeline/night/night.ts';
import { addDays } from '../../runtime/day.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { listReleases, readRelease } from '../support/pipeline/published.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';

function tryNight({ deps }: TemporaryStore, source: string, day: string) {
  return runNight(
    { day, source: fixtureSource(source), dryRun: true, accept: false, acceptSuspects: [] },
    { ...deps, clock: () => new Date(`${addDays(day, 1)}T00:10:00Z`) },
  );
}

/** One on which all is new, one with changes, one with rows set aside and records that are gone. */
const TRIED = ['2026-06-01', '2026-06-02', '2026-06-06'];
const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03', '2026-06-04', '2026-06-06'];

describe('a dry run', () => {
  const nights: Record<string, Awaited<ReturnType<typeof tryThenRun>>> = {};
  const triedOn = (day: string) => nights[day] ?? expect.fail();

  async function tryThenRun(store: TemporaryStore, day: string) {
    const before = await listReleases(store);
    const tried = await tryNight(store, 'days', day);
    // Whether the store listed the same releases before and after the dry run.
    const isUntouched = isDeepStrictEqual(await listReleases(store), before);
    const previous = before.at(-1);
    const yesterday = previous && (await readRelease(store, previous)).records;
    return { tried, isUntouched, yesterday, result: await store.night(fixtureSource('days'), day) };
  }

  beforeAll(async () => {
    const store = await openTemporaryStore();
    for (const day of DAYS) {
      if (TRIED.includes(day)) nights[day] = await tryThenRun(store, day);
      else await store.night(fixtureSource('days'), day);
    }
    return store.dispose;
  }, 180_000);

  test.each(TRIED)('shows what the night then publishes, in numbers, and publishes nothing (%s)', (day) => {
    const { tried, result, yesterday, isUntouched } = triedOn(day);
    expect([tried.status, isUntouched]).toEqual(['dry_run', true]);
    expect(result).not.toHaveProperty('preview');
    const shown = tried.preview?.datasets ?? expect.fail();
    for (const name of DATASET_NAMES) {
      const { before, after, new: added, gone } = shown[name];
      expect([before, after]).toEqual([yesterday?.[name] ?? 0, result.records?.[name]]);
      expect(after).toBe(before + added - gone);
    }
    const feed = DATASET_NAMES.filter((name) => name !== 'benchmarks');
    const sum = (kind: 'new' | 'changed' | 'gone') => feed.reduce((all, name) => all + shown[name][kind], 0);
    expect({ upsert: sum('new') + sum('changed'), delete: sum('gone') }).toEqual(result.events);
  });

  test('reports the first records of each kind, what changes in them, and why rows were set aside', async () => {
    const second = triedOn('2026-06-02').tried;
    const field = { field: expect.any(String), before: expect.anything(), after: expect.anything() };
    const changed = { id: expect.any(String), fields: expect.arrayContaining([field]) };
    expect(second.preview?.datasets.pricing.examples.changed).toContainEqual(changed);
    const { preview } = JSON.parse(await readFile(join(second.report ?? '', 'report.json'), 'utf8'));
    expect(preview).toEqual(JSON.parse(JSON.stringify(second.preview)));
    const bad = triedOn('2026-06-06').tried;
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
  });

  test('shows no more than a few records of each kind, and says how many there are besides', () => {
    const first = triedOn('2026-06-01').tried;
    expect(first.preview?.datasets.models.examples.new).toHaveLength(5);
    expect(describeNight(first)).toMatch(/models new:\n(?: {2}\S.*\n){5} {2}… and 9 more/);
  });

  test('reads as text, and tells of a night that would be held what holds it and what it would do', async () => {
    const other = await openTemporaryStore();
    await other.night(fixtureSource('held'), '2026-06-01');
    const held = await tryNight(other, 'held', '2026-06-02');
    expect(held.status).toBe('held');
    const text = describeNight(held);
    expect(text).toContain('held 2026-06-02');
    expect(text).toMatch(/│ scores +│ +10 │ +6 │ +0 │ +0 │ +4 │ +0 │/);
    expect(text).toMatch(/scores gone:\n {2}\S+/);
    expect(text).not.toContain('set aside');
    await other.dispose();
  });
});
