import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { changesRoute } from '../../data/routes/changes.ts';
import { modelRoute } from '../../data/routes/models.ts';
import { findReason, REASONS } from './resolve-model.ts';
import { outputSchemaOf } from './tool.ts';
import { TOOLS } from './tools.ts';

function validatorOf(schema: object) {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  formats.default(ajv);
  return ajv.compile(schema);
}

const isModel = validatorOf(outputSchemaOf(modelRoute.response));
const MODEL = modelRoute.example as Readonly<Record<string, unknown>>; // The route's own, an object.

test('what a route answers is valid, and what is refused too', () => {
  expect(isModel(MODEL)).toBe(true);
  expect(isModel({ error: { code: 'not_found', message: 'There is no such model' } })).toBe(true);
  expect(isModel({ detail: [{ msg: 'Input should be an integer' }] })).toBe(true);
});

test('a field that is missing or of another type is not, at any depth', () => {
  const { name: _, ...nameless } = MODEL;
  expect(isModel(nameless)).toBe(false);
  expect(isModel({})).toBe(false);
  expect(isModel({ ...MODEL, context_length: 'long' })).toBe(false);
  expect(isModel({ ...MODEL, inference: [1] })).toBe(false);
  expect(isModel({ ...MODEL, scores: [{ value: '1' }] })).toBe(false);
});

test('what comes with a later version is: fields, and words of an enumeration', () => {
  expect(isModel({ ...MODEL, scores: [{ value: 1, later: true }], later: 1 })).toBe(true);
  const isPage = validatorOf(outputSchemaOf(changesRoute.response));
  const page = { events: [], next_cursor: 'MA', has_more: false, retained_from: '', published_through: '' };
  expect(isPage({ ...page, events: [{ seq: 1, entity_type: 'later', op: 'later', data: null }] })).toBe(true);
  expect(isPage({ ...page, events: [{ seq: 1, data: 'text' }] })).toBe(false);
});

test('the schemas of all tools are valid, and name every field that there is', () => {
  for (const { name, inputSchema, outputSchema } of TOOLS) {
    for (const schema of [inputSchema, outputSchema]) expect(() => validatorOf(schema), name).not.toThrow();
    expect(Object.keys(Object(outputSchema['properties'])).length, name).toBeGreaterThan(0);
    const refusals = [{ required: ['error'] }, { required: ['detail'] }];
    expect(Object(outputSchema['anyOf']).slice(1), name).toEqual(refusals);
  }
});

const NAMED = { id: 'gpt-5.4-mini', name: 'GPT-5.4 mini' };

test.each([
  ['gpt-5.4-mini', REASONS[0]],
  ['GPT-5.4-Mini', REASONS[2]],
  ['gpt 5.4 mini', REASONS[2]],
  ['gpt54mini', REASONS[2]],
  ['openai/gpt-5.4-mini', REASONS[3]],
  ['openrouter/openai/GPT 5.4 Mini', REASONS[3]],
  ['mini gpt', REASONS[5]],
  ['gpt-5.4', REASONS[5]],
  ['gpt-5.5', undefined],
  ['claude', undefined],
  ['---', undefined],
])('%s means it because: %s', (written, why) => {
  expect(findReason(written, NAMED)).toBe(why);
});

test('a name is found where the id is another, and a provider in the id is left out', () => {
  expect(findReason('mini model', { id: 'x-1', name: 'Mini Model' })).toBe(REASONS[4]);
  expect(findReason('x-1', { id: 'acme/X-1', name: 'Other' })).toBe(REASONS[3]);
});
