import { describe, expect, test } from 'vitest';
import { isJsonType, MODALITIES_FORM } from './json-columns.ts';

const parse = (value: unknown) => MODALITIES_FORM.parse(typeof value === 'string' ? value : JSON.stringify(value));

describe('modalities', () => {
  test('have one form: input first, each list sorted and without repeats', () => {
    const parsed = parse('{"output": ["text"], "input": ["text", "image", "pdf", "image"]}');
    const printed = 'value' in parsed && JSON.stringify(parsed.value);
    expect(printed).toBe('{"input":["image","pdf","text"],"output":["text"]}');
    expect(parse(String(printed))).toEqual(parsed);
  });

  test('are null if both lists are empty, and not if one is', () => {
    expect(parse({ input: [], output: [] })).toEqual({ value: null });
    expect(parse({ input: ['text'], output: [] })).toEqual({ value: { input: ['text'], output: [] } });
  });

  test.each<[string, unknown, string]>([
    ['no JSON', 'text', 'is not JSON'],
    ['a list', ['text'], 'is wrong: Invalid input: expected object, received array'],
    ['no output', { input: ['text'], output: null }, 'is wrong at .output: Invalid input: expected array'],
    ['another list', { input: [], output: [], tools: [] }, 'is wrong: Unrecognized key: "tools"'],
    ['a capital', { input: ['Text'], output: [] }, 'is wrong at .input[0]: is not a modality, such as text or image'],
    ['a comma', { input: [], output: ['text,image'] }, 'is wrong at .output[0]: is not a modality'],
    ['null in a list', { input: ['text', null], output: [] }, 'is wrong at .input[1]: Invalid input: expected string'],
  ])('are not %s', (_, value, problem) => {
    expect(parse(value)).toEqual({ problem: expect.stringContaining(problem) });
  });
});

test('names of object properties are no types', () => {
  expect(['rates', 'modalities', 'text', 'constructor', 'toString'].map(isJsonType)).toEqual([
    ...[true, true, false, false, false],
  ]);
});
