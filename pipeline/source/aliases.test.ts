import { describe, expect, test } from 'vitest';
import { ALIASES_MAX, parseAliases } from './aliases.ts';

const UPSTREAMS = ['models-dev', 'shop', 'board'];

function parse(...lines: readonly string[]) {
  return parseAliases(['upstream,id,model_id', ...lines].join('\n'), UPSTREAMS);
}

test('a line is what an upstream calls a model', () => {
  const { aliases, problems } = parse('shop,GPT 5.4 mini,gpt-5.4-mini', 'board,gpt-5.4-mini,gpt-5.4-mini', '');
  expect(problems).toEqual([]);
  expect(aliases).toEqual([
    { upstream: 'shop', id: 'GPT 5.4 mini', model_id: 'gpt-5.4-mini' },
    { upstream: 'board', id: 'gpt-5.4-mini', model_id: 'gpt-5.4-mini' },
  ]);
});

test('fields may be in quotes, lines end with CR and LF, and a byte order mark come first', () => {
  const { aliases } = parseAliases('\uFEFFupstream,id,model_id\r\nshop,"a ""b"", c",x\r\n', UPSTREAMS);
  expect(aliases).toEqual([{ upstream: 'shop', id: 'a "b", c', model_id: 'x' }]);
});

describe('a table is refused, naming the line,', () => {
  test.each([
    ['for a line that has not three fields', ['shop,a'], ['line 2: must be upstream,id,model_id']],
    ['for a line with a field too many', ['shop,a,b,c'], ['line 2: must be upstream,id,model_id']],
    ['for a quote that does not end', ['shop,"a,b'], ['line 2: must be upstream,id,model_id']],
    ['for an upstream that the source does not name', ['mall,a,b'], ['line 2: "mall" is not an id in upstreams']],
    ['for a name that is empty', ['shop,,b'], ['line 2: id is empty']],
    ['for white space around a model', ['shop,a, b'], ['line 2: model_id has white space around it']],
    ['for control characters', ['shop,a\tb,c'], ['line 2: id has control characters']],
    ['for an id that is too long', [`shop,${'😀'.repeat(201)},c`], ['line 2: id is longer than 200 characters']],
    ['for a name that stands twice', ['shop,a,b', '', 'shop,a,c'], ['line 4: "a" of shop is already in line 2']],
    [
      'for a model that is itself another name',
      ['board,B,b', 'models-dev,b,x'],
      ['line 2: the model "b" is itself an alias, in line 3'],
    ],
    [
      'for every fault at once',
      ['shop', 'mall,a,', 'shop,c,d'],
      ['line 2: must be upstream,id,model_id', 'line 3: "mall" is not an id in upstreams', 'line 3: model_id is empty'],
    ],
  ])('%s', (_, lines, problems) => {
    expect(parse(...lines)).toEqual({ aliases: [], problems });
  });

  test('where the header is another', () => {
    expect(parseAliases('upstream;id;model_id\n', UPSTREAMS).problems).toEqual([
      'line 1: must be the header upstream,id,model_id',
    ]);
    expect(parseAliases('', UPSTREAMS).problems).toHaveLength(1);
  });

  test('where it has more names than a table may have', () => {
    const lines = Array.from({ length: ALIASES_MAX + 1 }, (_, n) => `shop,${n},m`);
    expect(parse(...lines).problems).toEqual([`has more than ${ALIASES_MAX} names`]);
    expect(parse(...lines.slice(1)).problems).toEqual([]);
  });
});

test('one name may be of several models at several upstreams, and a model have several names at one', () => {
  expect(parse('shop,a,b', 'board,a,c', 'shop,d,b').problems).toEqual([]);
});
