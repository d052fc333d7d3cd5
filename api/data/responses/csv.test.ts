import { expect, test } from 'vitest';
import { readCsv } from './csv.ts';

const csvOf = async (fields: readonly string[], records: readonly object[]) =>
  (await readCsv(fields, JSON.stringify(records), 0)).csv;

test('null and a missing field are empty, empty text is quoted', async () => {
  expect(await csvOf(['a', 'b', 'c'], [{ a: null, b: '' }])).toBe('a,b,c\r\n,"",\r\n');
});

test.each<[unknown, string]>([
  ['plain text é 😀', 'plain text é 😀'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  ['two\rlines', '"two\rlines"'],
  ['tab\tand \\', 'tab\tand \\'],
  ['=1+1', '=1+1'],
  ['null', 'null'],
  [true, 'true'],
  [1e300, '1e+300'],
  [0.30000000000000004, '0.30000000000000004'],
  [9007199254740991, '9007199254740991'],
  [[], '[]'],
  [['a', 'b'], '"[""a"",""b""]"'],
  [{ input: ['te"xt'] }, '"{""input"":[""te\\""xt""]}"'],
])('the value %o is the cell %s', async (value, cell) => {
  expect(await csvOf(['before', 'value'], [{ before: 1, value }])).toBe(`before,value\r\n1,${cell}\r\n`);
});

test('columns are in the order of the fields; others are left out', async () => {
  expect(await csvOf(['a', 'b'], [{ x: { a: 5 }, b: 2, a: 1 }, { b: 3 }])).toBe('a,b\r\n1,2\r\n,3\r\n');
});

test('a list without records has its header; the end is behind the list', async () => {
  expect(await readCsv(['a', 'b'], '{"x":[],"y":1}', 5)).toEqual({ csv: 'a,b\r\n', end: 7 });
});

test.each(['[{"a":1', '[{"a":"x', '[{"a":[1', '[{"a" :1}]', '[ {"a":1}]', '[{"a":1}, {"a":1}]'])(
  '%s, which no response has, is refused',
  async (json) => {
    await expect(readCsv(['a'], json, 0)).rejects.toThrow('the JSON of a response is broken');
  },
);

test('other work goes on while a long list is read', async () => {
  const records = Array.from({ length: 50_000 }, (_, at) => ({ a: at, b: 'x'.repeat(40) }));
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  const csv = await csvOf(['a', 'b'], records);
  clearInterval(timer);
  expect(csv.split('\r\n')).toHaveLength(50_002);
  expect(turns).toBeGreaterThan(1);
});
