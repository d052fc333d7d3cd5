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

describe('bad rows', () => {
  it('collapses identical duplicates and quarantines contradicting ones together', () => {
    const first = night(undefined, 1, { models: [model('a'), model('a'), model('b'), model('b', { name: 'x' })] });
    expect(feed(first)).toEqual(['1 upsert model a']);
    expect(first.quarantined.map(({ row, entityId: id }) => `${row} ${id}`)).toEqual(['3 b', '4 b']);
    const stamps = [model('c'), model('c', { updated_at: '2025-12-02T00:00:00Z' })];
    expect(night(undefined, 1, { models: stamps }).quarantined).toHaveLength(2);
    const badAndGood = [model('d', { context_length: -1 }), model('d')];
    expect(night(undefined, 1, { models: badAndGood }).quarantined).toHaveLength(2);
  });

  it('carries the record of a bad row without an event and leaves a gap in its history', () => {
    const first = night(undefined, 1, { models: [model('a'), model('b')] });
    const second = night(first, 3, { models: [model('a'), model('b', { name: null })] });
    expect(second.lines).toEqual(first.lines);
    expect(second.events).toEqual([]);
    expect(intervals(second)).toEqual(['models b 2026-01-01..2026-01-01']);
    expect(openSince(second, 'models', 'b')).toBeNull();
    const third = night(second, 4, { models: [model('a'), model('b', { name: null })] });
    expect(intervals(third)).toEqual([]);
    const back = night(third, 5, { models: [model('a'), model('b')] });
    expect(back.events).toEqual([]);
    expect(openSince(back, 'models', 'b')).toBe('2026-01-05');
    const backChanged = night(third, 5, { models: [model('a'), model('b', { name: 'New' })] });
    expect(feed(backChanged)).toEqual(['3 upsert model b']);
    expect(intervals(backChanged)).toEqual([]);
    expect(openSince(backChanged, 'models', 'b')).toBe('2026-01-05');
  });

  it('deletes nothing of a dataset while a row of it has no readable key', () => {
    const first = night(undefined, 1, { models: [model('a'), model('b')], pricing: [price('a', 1, 1)] });
    const second = night(first, 2, { models: [model('a'), model(' b')], pricing: [price('a', 1, 1)] });
    expect(second.events).toEqual([]);
    expect(openSince(second, 'models', 'b')).toBeNull();
    expect(openSince(second, 'models', 'a')).toBe('2026-01-01');
    expect(second.quarantined).toEqual([
      { dataset: 'models', row: 2, entityId: undefined, problems: ['id is not a valid id'] },
    ]);
  });

  const rows = (good: number, bad: number) => ({
    models: [...ids(good).map((id) => model(id)), ...ids(bad, 'bad').map((id) => model(id, { name: null }))],
  });

  it('rejects the run past one row in a hundred, though never for ten', () => {
    expect(night(undefined, 1, rows(10, 10)).verdict).toBe('published');
    const rejected = night(undefined, 1, rows(11, 11), { accept: true });
    expect(rejected.verdict).toBe('rejected');
    expect([rejected.state.lastSeq, rejected.events, rejected.lines.models]).toEqual([0, [], []]);
    expect(night(undefined, 1, rows(1290, 12)).verdict).toBe('published'); // 13 of 1302 are allowed
    expect(night(undefined, 1, rows(1286, 13)).verdict).toBe('rejected'); // 12 of 1299 are
  });

  it('rejects a dataset of which more rows are bad than good, however few they are', () => {
    expect(night(undefined, 1, rows(3, 3)).verdict).toBe('published');
    expect(night(undefined, 1, rows(2, 3)).verdict).toBe('rejected');
    expect(night(undefined, 1, rows(0, 3)).verdict).toBe('rejected');
  });
});

describe('references', () => {
  const parents = { models: [model('a'), model('b'), model('c'), model('d')], benchmarks: [benchmark('x')] };
  const withoutA = parents.models.slice(1);
  const scoresOf = (...names: string[]) => names.map((name) => score(name, 'x', 1));

  it('quarantines a row whose parent never existed, a quarantined new parent included', () => {
    const result = night(undefined, 1, {
      models: [model('a'), model('new', { name: null })],
      benchmarks: [benchmark('x'), benchmark('y')],
      scores: [score('a', 'x', 1), score('a', 'y', 1), score('new', 'x', 1), score('a', 'nowhere', 1)],
    });
    expect(result.lines.scores).toHaveLength(2);
    expect(result.quarantined.map(({ dataset, entityId: id }) => `${dataset} ${id}`)).toEqual([
      'models new',
      'scores new:x',
      'scores a:nowhere',
    ]);
    expect(result.orphans).toEqual([]);
  });

  it('deletes the children of a deleted parent, listed, carried or not captured alike', () => {
    const first = night(undefined, 1, {
      ...parents,
      scores: scoresOf('a', 'b', 'c', 'd'),
      rankings: ['a', 'b', 'c', 'd'].map((name) => ranking(name, 'c', 1)),
      pricing: ['a', 'b', 'c', 'd'].map((name) => price(name, 1, 1)),
    });
    const second = night(first, 2, {
      models: withoutA,
      scores: scoresOf('a', 'b', 'c', 'd'),
      rankings: ['a', 'b', 'c', 'd'].map((name) => ranking(name, 'c', name === 'a' ? 0 : 1)),
    });
    expect(feed(second)).toEqual([
      '17 delete pricing a:p',
      '18 delete ranking a:c',
      '19 delete score a:x',
      '20 delete model a',
    ]);
    expect(second.orphans).toEqual([{ dataset: 'scores', entityId: 'a:x' }]);
    expect(second.quarantined.map(({ entityId: id }) => id)).toEqual(['a:c']);
    expect(intervals(second)).toContain('pricing a:p 2026-01-01..2026-01-01');

    const third = night(second, 3, { ...parents, models: withoutA, scores: scoresOf('a', 'b', 'c', 'd') });
    expect(third.orphans).toEqual([{ dataset: 'scores', entityId: 'a:x' }]);
    expect([third.events, third.quarantined]).toEqual([[], []]);
    const reborn = night(third, 4, { ...parents, scores: scoresOf('a', 'b', 'c', 'd') });
    expect(feed(reborn)).toEqual(['21 upsert model a', '22 upsert score a:x']);
  });

  it('keeps the children of a carried parent', () => {
    const first = night(undefined, 1, { ...parents, scores: scoresOf('a', 'b') });
    const badParent = [model('a', { name: null }), ...withoutA];
    const second = night(first, 2, { models: badParent, benchmarks: undefined, scores: scoresOf('a', 'b') });
    expect([second.events, second.orphans]).toEqual([[], []]);
    expect(openSince(second, 'scores', 'a:x')).toBe('2026-01-01');
  });

  it('deletes the scores of a deleted benchmark', () => {
    const benchmarks = ids(4, 'x').map((id) => benchmark(id));
    const scores = ids(4, 'x').map((id) => score('a', id, 1));
    const first = night(undefined, 1, { models: [model('a')], benchmarks, scores });
    const second = night(first, 2, { models: [model('a')], benchmarks: benchmarks.slice(1), scores: undefined });
    expect(feed(second)).toEqual(['6 delete score a:x0']);
  });
});

describe('suspect prices', () => {
  const fill = ids(10, 'f');
  const models = ['a', ...fill].map((id) => model(id));
  const rows = (...prices: Row[]) => ({ models, pricing: [...fill.map((id) => price(id, 1, 1)), ...prices] });
  const inputOf = (result: OracleNight) => result.state.records.pricing.get('a:p')?.values['input_per_million'];

  it('sets aside what lies outside the range, for ever', () => {
    for (const edge of [0, 0.0001, 10_000, null])
      expect(night(undefined, 1, rows(price('a', edge, 1))).suspects).toEqual([]);
    for (const far of [0.00009, 10_000.01]) {
      expect(night(undefined, 1, rows(price('a', far, 1))).suspects).toEqual(['a:p']);
      expect(night(undefined, 1, rows(price('a', 1, far))).suspects).toEqual(['a:p']);
    }
    let last = night(undefined, 1, rows(price('a', 2, 2)));
    for (let n = 2; n <= 20; n += 1) last = night(last, n, rows(price('a', 2e6, 2)));
    expect([inputOf(last), openSince(last, 'pricing', 'a:p')]).toEqual([2, null]);
    expect(last.quarantined).toEqual([]);
    expect(last.state.pending.get('a:p')).toMatchObject({ since: '2026-01-02', daysSeen: 19, input_per_million: 2e6 });
    const sane = night(last, 21, rows(price('a', 2, 2)));
    expect([sane.events, sane.state.pending.size, openSince(sane, 'pricing', 'a:p')]).toEqual([[], 0, '2026-01-21']);
  });

  it('lets a jump in on the fourteenth captured day in a row that shows the same pair', () => {
    let last = night(undefined, 1, rows(price('a', 0.001, 1)));
    expect(night(last, 2, rows(price('a', 1, 1))).suspects).toEqual([]); // exactly a thousandfold
    expect(night(last, 2, rows(price('a', 0, 1))).suspects).toEqual([]);
    for (let n = 2; n <= 14; n += 1) {
      last = night(last, n, rows(price('a', 1.01, 1)));
      expect([last.suspects, last.events]).toEqual([['a:p'], []]);
    }
    const missing = night(last, 15, { models, pricing: undefined });
    expect([missing.suspects, missing.state.pending.get('a:p')?.daysSeen]).toEqual([[], 13]);
    const stood = night(missing, 16, rows(price('a', 1.01, 1)));
    expect([feed(stood), inputOf(stood), stood.state.pending.size]).toEqual([['23 upsert pricing a:p'], 1.01, 0]);
    const other = night(missing, 16, rows(price('a', 1.02, 1)));
    expect(other.state.pending.get('a:p')).toMatchObject({ since: '2026-01-16', daysSeen: 1 });
  });

  it('starts the count anew after a day without a sighting', () => {
    let last = night(undefined, 1, rows(price('a', 0.001, 1)));
    last = night(last, 2, rows(price('a', 5, 1)));
    last = night(last, 3, rows(price('a', -5, 1)));
    expect([last.state.pending.size, last.quarantined.length, inputOf(last)]).toEqual([0, 1, 0.001]);
    last = night(last, 4, rows(price('a', 5, 1)));
    expect(last.state.pending.get('a:p')).toMatchObject({ since: '2026-01-04', daysSeen: 1 });
  });

  it('lets in whom an operator names, and whatever leaves an implausible value', () => {
    const first = night(undefined, 1, rows(price('a', 2, 2)));
    const named = night(first, 2, rows(price('a', 2e6, 2)), { acceptSuspects: ['pricing:a:p'] });
    expect([named.suspects, feed(named), inputOf(named)]).toEqual([[], ['23 upsert pricing a:p'], 2e6]);
    const left = night(named, 3, rows(price('a', 2, 2)));
    expect([left.suspects, inputOf(left)]).toEqual([[], 2]);
  });

  it('forgets a suspect whose row or model is gone', () => {
    const first = night(undefined, 1, rows(price('a', 2e6, 2)));
    expect(feed(first).filter((event) => event.includes('pricing a'))).toEqual([]);
    expect(night(first, 2, rows()).state.pending.size).toBe(0);
    const modelGone = night(first, 2, { models: models.slice(1), pricing: undefined });
    expect(modelGone.state.pending.size).toBe(0);
  });

  it('holds a run with suspects in more than a fifth of the rows', () => {
    const suspects = (count: number, good: number) => ({
      models: ids(count + good).map((id) => model(id)),
      pricing: ids(count + good).map((id, i) => price(id, i < count ? 1e6 : 1, 1)),
    });
    expect(night(undefined, 1, suspects(2, 8)).verdict).toBe('published');
    expect(night(undefined, 1, suspects(3, 8)).verdict).toBe('held');
    const accepted = night(undefined, 1, suspects(3, 8), { accept: true });
    expect([accepted.verdict, accepted.lines.pricing.length, accepted.suspects.length]).toEqual(['published', 8, 3]);
  });
});
