import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { changesRoute } from '../../data/routes/changes.ts';
import { modelRoute } from '../../data/routes/models.ts';
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

test('the schemas of all tools are valid', () => {
  for (const { name, inputSchema, outputSchema } of TOOLS) {
    for (const schema of [inputSchema, outputSchema]) expect(() => validatorOf(schema), name).not.toThrow();
    expect(Object.keys(Object(outputSchema['properties'])).length, name).toBeGreaterThan(0);
    const refusals = [{ required: ['error'] }, { required: ['detail'] }];
    expect(Object(outputSchema['anyOf']).slice(1), name).toEqual(refusals);
  }
});

test('a schema names the fields that are always there, and no others; those are valid all the same', () => {
  const { properties } = outputSchemaOf(modelRoute.response);
  const names = Object.keys(Object(properties));
  expect(names).toEqual(expect.arrayContaining(['id', 'name', 'context_length', 'updated_at', 'pricing', 'scores']));
  expect(names.filter((name) => ['source', 'status', 'modalities'].includes(name))).toEqual([]);
  expect(JSON.stringify(properties)).not.toContain('"rates"');
  expect(MODEL).toMatchObject({ modalities: expect.anything(), pricing: [{ rates: expect.anything() }] });
  expect(isModel(MODEL)).toBe(true);
});
