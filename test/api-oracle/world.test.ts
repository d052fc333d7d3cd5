import { describe, expect, test } from 'vitest';
import { sha256 } from '../night-oracle/canonical.ts';
import { tinyState } from '../worlds/tiny-days.ts';

const { world } = tinyState();
const daysOf = (dataset: 'models' | 'scores' | 'rankings' | 'pricing', id: string) =>
  world.series[dataset].get(id)?.days.map((day) => Number(day.slice(-1)));

describe('points', () => {
  test('a record has a point on each day it was captured, and none on days without a night', () => {
    expect(daysOf('models', 'a')).toEqual([1, 2, 5, 6]);
    expect(daysOf('rankings', 'a:code')).toEqual([2, 5, 6, 7]);
  });

  test('a record that vanished and came back has none in between', () => {
    expect(daysOf('models', 'b')).toEqual([1, 2, 6]);
    expect(daysOf('scores', 'C:x')).toEqual([2, 6]);
  });

  test('a day without the file has none, though the records are still there', () => {
    expect(daysOf('models', 'd')).toEqual([6]);
    expect(world.current.models.map(({ id }) => id)).toEqual(['C', 'a', 'b', 'd']);
  });

  test('a row that is unreadable or not to be believed leaves the day out', () => {
    expect(daysOf('scores', 'a:x')).toEqual([1, 2, 5]);
    expect(daysOf('pricing', 'a:p')).toEqual([1, 2, 6, 7]);
    expect(world.current.scores.map(({ model_id, value }) => [model_id, value])).toEqual([
      ['C', 5],
      ['a', 2],
    ]);
  });

  test('keep one object for as long as a record stays the same', () => {
    const values = world.series.models.get('a')?.values ?? [];
    expect(new Set(values).size).toBe(1);
  });
});

describe('the feed and the snapshots', () => {
  test('number the events through all nights', () => {
    expect(world.feed.map(({ seq }) => seq)).toEqual(world.feed.map((_, index) => index + 1));
    expect(
      world.feed.filter(({ occurred_on }) => occurred_on === '2026-01-07').map((e) => `${e.op} ${e.entity_id}`),
    ).toEqual(['delete C:q', 'delete a:q', 'upsert C:code', 'upsert a:code', 'upsert b:code', 'upsert a:p']);
    expect(world.nights.map(({ lastSeq }) => lastSeq)).toEqual([4, 10, 17, 23, 29]);
  });

  test('tell what each file holds', () => {
    const line = '{"id":"x","name":"Bench x","category":null,"model_count":1,"updated_at":"2025-12-01T08:00:00Z"}\n';
    expect(world.nights[0]?.contents.benchmarks).toEqual({
      records: 1,
      contentBytes: line.length,
      contentSha256: sha256(line),
    });
    expect(world.nights.map(({ captured }) => captured.length)).toEqual([4, 5, 5, 5, 2]);
  });
});
