import { describe, expect, it } from 'vitest';
import { readRow } from './row-rules.ts';
import { model, price, type Row, ranking, score } from './small-nights.ts';

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
