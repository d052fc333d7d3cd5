import { describe, expect, it } from 'vitest';
import {
  benchmark,
  feed,
  ids,
  intervals,
  model,
  night,
  openSince,
  price,
  type Row,
  ranking,
  score,
} from './small-nights.ts';
import type { OracleNight } from './state.ts';

describe('the feed', () => {
  it('numbers deletes from the children up, then upserts from the parents down, each by key', () => {
    const rows = (names: string[]) => ({
      models: names.map((name) => model(name)),
      benchmarks: [benchmark('x')],
      scores: names.map((name) => score(name, 'x', 1)),
      rankings: names.map((name) => ranking(name, 'c', 1)),
      pricing: names.map((name) => price(name, 1, 2)),
    });
    const first = night(undefined, 1, rows(['b', 'a', 'k', 'l']));
    expect(feed(first).slice(0, 5)).toEqual([
      '1 upsert model a',
      '2 upsert model b',
      '3 upsert model k',
      '4 upsert model l',
      '5 upsert score a:x',
    ]);
    expect(first.state.lastSeq).toBe(16);
    const second = night(first, 2, rows(['b', 'k', 'l', 'c']));
    expect(feed(second)).toEqual([
      '17 delete pricing a:p',
      '18 delete ranking a:c',
      '19 delete score a:x',
      '20 delete model a',
      '21 upsert model c',
      '22 upsert score c:x',
      '23 upsert ranking c:c',
      '24 upsert pricing c:p',
    ]);
    expect(second.events.at(0)?.data).toBeNull();
    expect(JSON.stringify(second.events.at(4))).toBe(
      '{"seq":21,"occurred_on":"2026-01-02","entity_type":"model","entity_id":"c","key":{"id":"c"},"op":"upsert","data":' +
        `${second.lines.models[1]?.trim()}}`,
    );
  });

  it('has no events for benchmarks, yet closes their intervals', () => {
    const first = night(undefined, 1, { benchmarks: [benchmark('x')] });
    const second = night(first, 2, { benchmarks: [benchmark('x', { category: 'code' })] });
    expect([...first.events, ...second.events]).toEqual([]);
    expect(intervals(second)).toEqual(['benchmarks x 2026-01-01..2026-01-01']);
  });

  it('sees a change of the unpublished sample size, and none in a touched time stamp', () => {
    const rows = (more: Row) => ({
      models: [model('a')],
      benchmarks: [benchmark('x')],
      scores: [score('a', 'x', 1, more)],
    });
    const first = night(undefined, 1, rows({ n: 1 }));
    const touched = night(first, 2, rows({ n: 1, updated_at: '2026-01-02T01:00:00Z' }));
    expect(touched.events).toEqual([]);
    expect(touched.lines).toEqual(first.lines);
    expect(openSince(touched, 'scores', 'a:x')).toBe('2026-01-01');
    const changed = night(touched, 3, rows({ n: 2, updated_at: '2026-01-02T01:00:00Z' }));
    expect(feed(changed)).toEqual(['3 upsert score a:x']);
    expect(changed.events[0]?.data).toMatchObject({ value: 1, updated_at: '2026-01-02T01:00:00Z' });
  });

  it('dates a record by its source where that is plausible, else by the capture', () => {
    const dated = (updated_at: unknown, name = 'A') => ({ models: [model('a', { name, updated_at })] });
    const at = (result: OracleNight) => JSON.parse(result.lines.models[0] ?? '{}').updated_at;
    expect(at(night(undefined, 1, dated('2026-01-01T23:59:59Z')))).toBe('2026-01-01T23:59:59Z');
    expect(at(night(undefined, 1, dated('2026-01-01T23:59:59.001Z')))).toBe('2026-01-01T23:59:59Z');
    expect(at(night(undefined, 1, dated(null)))).toBe('2026-01-01T23:59:59Z');
    const first = night(undefined, 1, dated('2025-12-31T10:00:00Z'));
    expect(at(night(first, 2, dated('2025-12-31T10:00:00.001Z', 'B')))).toBe('2025-12-31T10:00:00.001Z');
    for (const source of ['2025-12-31T10:00:00Z', '2025-12-30T10:00:00Z', '2026-01-03T00:00:00Z', null]) {
      expect(at(night(first, 2, dated(source, 'B')))).toBe('2026-01-02T23:59:59Z');
    }
    expect(at(night(first, 2, dated(null)))).toBe('2025-12-31T10:00:00Z');
  });

  it('counts the models of a benchmark where the source does not, carried scores included', () => {
    const first = night(undefined, 1, {
      models: [model('a'), model('b')],
      benchmarks: [benchmark('x', { model_count: null }), benchmark('y', { model_count: 9 })],
      scores: [score('a', 'x', 1), score('b', 'x', 2)],
    });
    const countOf = (result: OracleNight) => result.lines.benchmarks.map((line) => JSON.parse(line).model_count);
    expect(countOf(first)).toEqual([2, 9]);
    const second = night(first, 2, {
      benchmarks: [benchmark('x', { model_count: null }), benchmark('y', { model_count: null })],
      scores: [score('a', 'x', 'bad'), score('b', 'x', 2)],
    });
    expect(countOf(second)).toEqual([2, 0]);
  });

  it('refuses a day that does not come after the last one', () => {
    const first = night(undefined, 2, {});
    expect(() => night(first, 2, {})).toThrow('2026-01-02 does not come after 2026-01-02');
  });
});

describe('missing and empty files', () => {
  it('carries a dataset that was not captured and lets its intervals run on to its last captured day', () => {
    const first = night(undefined, 1, { models: [model('a'), model('b'), model('c'), model('d')] });
    const second = night(first, 2, { models: undefined });
    expect([second.verdict, second.events, second.closed]).toEqual(['published', [], []]);
    expect(openSince(second, 'models', 'a')).toBe('2026-01-01');
    const third = night(second, 3, { models: [model('a', { name: 'x' }), model('b'), model('c')] });
    expect(intervals(third)).toEqual(['models d 2026-01-01..2026-01-01', 'models a 2026-01-01..2026-01-01']);
    expect(openSince(third, 'models', 'b')).toBe('2026-01-01');
  });

  it('takes an empty file as the loss of every record, which holds the run', () => {
    const first = night(undefined, 1, { models: [model('a')] });
    const held = night(first, 2, { models: [] });
    expect([held.verdict, held.reasons]).toEqual(['held', ['models: loses 1 of 1 records']]);
    expect([held.state, held.lines, held.events]).toEqual([first.state, first.lines, []]);
    const accepted = night(first, 2, { models: [] }, { accept: true });
    expect([accepted.verdict, feed(accepted)]).toEqual(['published', ['2 delete model a']]);
  });

  it('holds a dataset that loses more than three tenths, not one that loses three tenths', () => {
    const rows = (count: number) => ({ models: ids(count).map((id) => model(id)) });
    const first = night(undefined, 1, rows(10));
    expect(night(first, 2, rows(7)).verdict).toBe('published');
    expect(night(first, 2, rows(6)).verdict).toBe('held');
  });
});
