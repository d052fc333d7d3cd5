import { describe, expect, it } from 'vitest';
import { entityId, keyText } from './canonical.ts';
import { benchmark, model, night, price, score } from './small-nights.ts';

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

  it('joins the parts of an entity id as they are', () => {
    expect(entityId(['a:b', 'c'])).toBe('a:b:c');
    expect(entityId(['a%3Ab', '@cf/x+y.z'])).toBe('a%3Ab:@cf/x+y.z');
  });

  it('never gives two keys one text', () => {
    expect(keyText(['a:b', 'c'])).toBe('a%3Ab:c');
    expect(keyText(['a', 'b:c'])).toBe('a:b%3Ac');
    expect(keyText(['a%3Ab'])).toBe('a%253Ab');
    expect(keyText(['@cf/x+y.z'])).toBe('@cf/x+y.z');
  });
});
