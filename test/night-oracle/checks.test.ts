import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { entityId } from './canonical.ts';
import { loadDay } from './load-day.ts';
import { oracleNight } from './night-oracle.ts';
import { readRow } from './row-rules.ts';
import type { OracleDay, OracleNight } from './state.ts';

type Row = Readonly<Record<string, unknown>>;

const OLD = '2025-12-01T08:00:00Z';
const model = (id: unknown, more: Row = {}): Row => ({ id, name: `Model ${id}`, updated_at: OLD, ...more });
const benchmark = (id: string, more: Row = {}): Row => ({
  id,
  name: `Benchmark ${id}`,
  model_count: 1,
  updated_at: OLD,
  ...more,
});
const score = (model_id: string, benchmark_id: unknown, value: unknown, more: Row = {}): Row => ({
  model_id,
  benchmark_id,
  value,
  updated_at: OLD,
  ...more,
});
const ranking = (model_id: string, category: string, rank: unknown): Row => ({
  model_id,
  category,
  rank,
  updated_at: OLD,
});
const price = (model_id: string, input: unknown, output: unknown, more: Row = {}): Row => ({
  model_id,
  provider: 'p',
  input_per_million: input,
  output_per_million: output,
  updated_at: OLD,
  ...more,
});

/** Day `n` of January 2026. */
function night(previous: OracleNight | undefined, n: number, rows: OracleDay['rows'], more: Partial<OracleDay> = {}) {
  const day = `2026-01-${String(n).padStart(2, '0')}`;
  return oracleNight(previous?.state, { day, capturedAt: `${day}T23:59:59Z`, rows, ...more });
}

const ids = (count: number, prefix = 'm'): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const feed = ({ events }: OracleNight): string[] =>
  events.map((e) => `${e.seq} ${e.op} ${e.entity_type} ${e.entity_id}`);
const intervals = ({ closed }: OracleNight): string[] =>
  closed.map((c) => `${c.dataset} ${entityId(c.key)} ${c.validFrom}..${c.validTo}`);
const openSince = (
  result: OracleNight,
  dataset: 'models' | 'scores' | 'pricing',
  id: string,
): string | null | undefined => result.state.records[dataset].get(id)?.validFrom;

describe('canonical lines', () => {
  it('has keys in wire order, nulls written, dates and numbers in their one form, rows in byte order', () => {
    const result = night(undefined, 1, {
      models: [
        model('é', { context_length: 100.0 }),
        model('z', { updated_at: '2025-12-01T09:00:00.250+01:00' }),
        model('Z', { release_date: '2025-02-28', inference: ' b,a ,,b', organization: 'o', context_length: '8e3' }),
      ],
      pricing: [price('z', 7.5e-7 * 1000, -0, { currency: null })],
      scores: [],
    });
    expect(result.lines.models).toEqual([
      '{"id":"Z","name":"Model Z","organization":"o","release_date":"2025-02-28","context_length":8000,' +
        '"inference":["a","b"],"updated_at":"2025-12-01T08:00:00Z"}\n',
      '{"id":"z","name":"Model z","organization":null,"release_date":null,"context_length":null,' +
        '"inference":null,"updated_at":"2025-12-01T08:00:00.250Z"}\n',
      '{"id":"é","name":"Model é","organization":null,"release_date":null,"context_length":100,' +
        '"inference":null,"updated_at":"2025-12-01T08:00:00Z"}\n',
    ]);
    expect(result.lines.pricing).toEqual([
      '{"model_id":"z","provider":"p","input_per_million":0.00075,"output_per_million":0,"currency":"USD",' +
        '"effective_from":null,"updated_at":"2025-12-01T08:00:00Z"}\n',
    ]);
    expect(result.lines.scores).toEqual([]);
  });

  it('does not publish the sample size', () => {
    const rows = { models: [model('a')], benchmarks: [benchmark('b')], scores: [score('a', 'b', 7.5e-7, { n: 4 })] };
    expect(night(undefined, 1, rows).lines.scores).toEqual([
      '{"model_id":"a","benchmark_id":"b","value":7.5e-7,"source":null,"measured_at":null,"updated_at":"2025-12-01T08:00:00Z"}\n',
    ]);
  });

  it('sorts by UTF-8 bytes, column by column, not by UTF-16 units or by the joined key', () => {
    const names = ['\u{10000}', '\uffee', 'a', 'a!'];
    const result = night(undefined, 1, {
      models: names.map((name) => model(name)),
      benchmarks: [benchmark('x')],
      scores: ['a!', 'a'].map((name) => score(name, 'x', 1)),
    });
    expect([...result.lines.models].map((line) => JSON.parse(line).id)).toEqual(['a', 'a!', '\uffee', '\u{10000}']);
    expect([...result.lines.scores].map((line) => JSON.parse(line).model_id)).toEqual(['a', 'a!']);
  });

  it('never gives two keys one entity id', () => {
    expect(entityId(['a:b', 'c'])).toBe('a%3Ab:c');
    expect(entityId(['a', 'b:c'])).toBe('a:b%3Ac');
    expect(entityId(['a%3Ab'])).toBe('a%253Ab');
    expect(entityId(['@cf/x+y.z'])).toBe('@cf/x+y.z');
  });
});

describe('row rules', () => {
  const problemsOf = (row: Row, dataset: 'models' | 'scores' | 'rankings' | 'pricing' = 'models') =>
    readRow(dataset, row).problems.length;

  it('holds ids to 1..200 code points without control characters or surrounding white space', () => {
    for (const id of ['x', 'a b', '\u{1f600}'.repeat(200)]) expect(problemsOf(model(id))).toBe(0);
    for (const id of ['', ' x', 'x ', 'x\ty', 'x\u0085y', 'x'.repeat(201), 7, null]) {
      expect(readRow('models', model(id)).key).toBeUndefined();
    }
  });

  it('takes real calendar days from 1970 to 2100 only', () => {
    for (const day of ['1970-01-01', '2024-02-29', '2100-12-31']) {
      expect(problemsOf(model('a', { release_date: day }))).toBe(0);
    }
    for (const day of ['1969-12-31', '2025-02-29', '2025-13-01', '2101-01-01', '2025-1-1', 'soon', 20250101]) {
      expect(problemsOf(model('a', { release_date: day }))).toBe(1);
    }
  });

  it('takes finite numbers, and numbers written as text', () => {
    for (const value of [0, -3.5, '7.5e-7', ' 12 ', '+1.'])
      expect(problemsOf(score('a', 'b', value), 'scores')).toBe(0);
    for (const value of [null, '', 'NaN', 'Infinity', '0x10', '1,5', JSON.parse('1e999'), true, [1]]) {
      expect(problemsOf(score('a', 'b', value), 'scores')).toBe(1);
    }
  });

  it('holds ranks, context lengths, prices and sigmas to their ranges', () => {
    for (const rank of [1, '2', 3.0]) expect(problemsOf(ranking('a', 'c', rank), 'rankings')).toBe(0);
    for (const rank of [0, -1, 1.5, null]) expect(problemsOf(ranking('a', 'c', rank), 'rankings')).toBe(1);
    expect(problemsOf({ ...ranking('a', 'c', 1), trueskill_sigma: -0.1 }, 'rankings')).toBe(1);
    expect(problemsOf(model('a', { context_length: 0 }))).toBe(0);
    expect(problemsOf(model('a', { context_length: -1 }))).toBe(1);
    expect(problemsOf(price('a', -0.01, -1), 'pricing')).toBe(2);
    expect(problemsOf(price('a', null, null), 'pricing')).toBe(0);
    expect(readRow('pricing', price('a', -0, '-0')).values).toMatchObject({
      input_per_million: 0,
      output_per_million: 0,
    });
  });

  it('reads providers from text or array; an empty text is null', () => {
    const read = (inference: unknown) => readRow('models', model('a', { inference })).values['inference'];
    expect(read('b, a,b')).toEqual(['a', 'b']);
    expect(read(['b', ' a ', '', 'Z'])).toEqual(['Z', 'a', 'b']);
    expect(read('')).toBeNull();
    expect(read(' , ')).toBeNull();
    expect(read(null)).toBeNull();
    expect(read([])).toEqual([]);
  });

  it('tells all problems of a row at once', () => {
    expect(readRow('scores', { model_id: 'a', value: 'x', measured_at: 'y' }).problems).toEqual([
      'benchmark_id is missing',
      'value is not a valid double',
      'measured_at is not a valid date',
    ]);
    expect(readRow('models', [1]).problems).toContain('the row is not a JSON object');
  });
});

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
      '{"seq":21,"occurred_on":"2026-01-02","entity_type":"model","entity_id":"c","op":"upsert","data":' +
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

  it('rejects the run past one row in a hundred, though never for ten', () => {
    const rows = (good: number, bad: number) => ({
      models: [...ids(good).map((id) => model(id)), ...ids(bad, 'bad').map((id) => model(id, { name: null }))],
    });
    expect(night(undefined, 1, rows(1, 10)).verdict).toBe('published');
    const rejected = night(undefined, 1, rows(1, 11), { accept: true });
    expect(rejected.verdict).toBe('rejected');
    expect([rejected.state.lastSeq, rejected.events, rejected.lines.models]).toEqual([0, [], []]);
    expect(night(undefined, 1, rows(1290, 12)).verdict).toBe('published'); // 13 of 1302 are allowed
    expect(night(undefined, 1, rows(1286, 13)).verdict).toBe('rejected'); // 12 of 1299 are
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

describe('references', () => {
  const parents = { models: [model('a'), model('b'), model('c'), model('d')], benchmarks: [benchmark('x')] };
  const withoutA = parents.models.slice(1);
  const scoresOf = (...names: string[]) => names.map((name) => score(name, 'x', 1));

  it('quarantines a row whose parent never existed, a quarantined new parent included', () => {
    const result = night(undefined, 1, {
      models: [model('a'), model('new', { name: null })],
      benchmarks: [benchmark('x')],
      scores: [score('a', 'x', 1), score('new', 'x', 1), score('a', 'nowhere', 1)],
    });
    expect(result.lines.scores).toHaveLength(1);
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

describe('a dated folder', () => {
  it('is read file by file; an unreadable line is a row, a file that is not there is missing', () => {
    const root = mkdtempSync(join(tmpdir(), 'oracle-'));
    const folder = join(root, '2026-01-05');
    mkdirSync(folder);
    writeFileSync(join(folder, 'models.jsonl'), '{"id":"a"}\n\n{"id":\n');
    writeFileSync(join(folder, 'scores.jsonl.gz'), gzipSync(''));
    const day = loadDay(folder);
    rmSync(root, { recursive: true });
    expect(day).toMatchObject({ day: '2026-01-05', capturedAt: '2026-01-05T23:59:59Z' });
    expect(day.rows.models).toEqual([{ id: 'a' }, undefined]);
    expect([day.rows.scores, day.rows.pricing]).toEqual([[], undefined]);
  });
});
