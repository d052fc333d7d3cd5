/** The types of answers, held to the service's own description of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { DATASET_NAMES } from '../schemas/datasets.ts';
import { ManifestSchema } from '../schemas/manifest.ts';
import { Documented } from '../test/support/api/documented.ts';
import { useApi } from '../test/support/api/use-api.ts';
import { type DeclaredField, interfacesIn, unionsIn } from '../test/support/client/declared-interfaces.ts';

const readSource = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** A call of `client.ts`: the route that its comment names, and the type of its answer. */
const CALL = /`GET (\/v1\/[^`]*)`[^\n]*\*\/\n {2}\w+\([^{]*?(?:\{[^}]*\}[^{]*?)*\): Promise<Answer<(\w+)>>/g;
const ANSWERED = new Map([...readSource('client.ts').matchAll(CALL)].map(([, path, type]) => [path, type]));

type Schema = Readonly<Record<string, unknown>>;

/** What a type of another file may hold, as JSON Schema says it. */
const FOREIGN: Readonly<Record<string, Schema>> = {
  DatasetName: { type: 'string', enum: DATASET_NAMES },
  EntityType: { type: 'string', enum: ['model', 'score', 'ranking', 'pricing'] },
};

const api = useApi({ days: ['2026-06-01'], accounts: {} });
let documented: Documented;
beforeAll(async () => {
  documented = new Documented(await api.json('/openapi.json'), { isClosed: false });
});

/** Where a declared type and a schema disagree. */
class Comparison {
  readonly differences: string[] = [];
  readonly compared = new Set<string>();
  readonly #interfaces: ReadonlyMap<string, readonly DeclaredField[]>;
  readonly #unions: ReadonlyMap<string, readonly string[]>;

  constructor(source: string) {
    this.#interfaces = interfacesIn(source);
    this.#unions = unionsIn(source);
  }

  compareType(type: string, either: Schema, at: string): void {
    const given = withoutNull(either);
    const schema = documented.resolve<Schema>(given);
    if (type.endsWith('[]')) {
      this.#expect(
        kindsOf(schema).filter((kind) => kind !== 'null'),
        ['array'],
        at,
      );
      this.compareType(type.slice(0, -2).replace(/^readonly /, ''), schema['items'] as Schema, `${at}[]`);
    } else if (type === 'Manifest') {
      this.compared.add(type);
      this.#expect(Object.keys(propertiesOf(schema)), Object.keys(ManifestSchema.shape), at);
    } else if (this.#unions.has(type)) {
      this.#compareUnion(this.#unions.get(type) ?? [], given, type);
    } else if (this.#interfaces.has(type)) {
      const component = /\/(\w+)$/.exec(String(given['$ref'] ?? ''))?.[1] ?? type;
      this.#expect([type], [component], `the name of ${at}`);
      this.#expect(kindsOf(schema), ['object'], at);
      if (this.compared.has(type)) return;
      this.compared.add(type);
      this.#compareFields(this.#interfaces.get(type) ?? [], schema, type);
    }
  }

  /** Words, or one of several shapes under the same names. */
  #compareUnion(members: readonly string[], given: Schema, type: string): void {
    const { oneOf = [], ...schema } = documented.resolve<Schema>(given);
    const shapes = oneOf as readonly Schema[]; // By JSON Schema.
    const words = members.filter((member) => member.startsWith("'")).map((member) => member.slice(1, -1));
    this.#expect(words, valuesOf(schema), `values of ${type}`);
    const described = shapes.map(({ $ref }) => String($ref).split('/').at(-1) ?? '');
    this.#expect(words.length > 0 ? [] : members, described, `shapes of ${type}`);
    for (const shape of shapes) this.compareType(String(shape['$ref']).split('/').at(-1) ?? '', shape, type);
  }

  #compareFields(fields: readonly DeclaredField[], schema: Schema, at: string): void {
    const properties = propertiesOf(schema);
    this.#expect(names(fields), Object.keys(properties), `fields of ${at}`);
    const required = fields.filter(({ isOptional }) => !isOptional);
    this.#expect(names(required), (schema['required'] ?? []) as string[], `required fields of ${at}`);
    for (const { name, types } of fields) {
      const { [name]: property } = properties;
      if (property === undefined) continue;
      const found = documented.resolve<Schema>(property);
      const kinds = types.flatMap((type) => this.#kindsOf(type));
      this.#expect(kinds, kindsOf(found), `${at}.${name}`);
      const literals = types.filter((type) => type.startsWith("'")).map((type) => type.slice(1, -1));
      const named = [...literals, ...types.flatMap((type) => valuesOf(FOREIGN[type] ?? {}))];
      if (named.length > 0) this.#expect(named, valuesOf(found), `values of ${at}.${name}`);
      for (const type of types) {
        this.compareType(type, property, `${at}.${name}`);
      }
    }
  }

  #kindsOf(type: string): readonly string[] {
    const members = this.#unions.get(type);
    if (members !== undefined) return members.flatMap((member) => this.#kindsOf(member));
    return this.#interfaces.has(type) ? ['object'] : kindsOfType(type);
  }

  #expect(declared: readonly string[], described: readonly string[], at: string): void {
    const [left, right] = [[...new Set(declared)].sort(), [...new Set(described)].sort()];
    if (left.join() !== right.join()) this.differences.push(`${at}: ${left.join(', ')} against ${right.join(', ')}`);
  }
}

const names = (fields: readonly DeclaredField[]) => fields.map(({ name }) => name);
const propertiesOf = (schema: Schema) => (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;

/** What a record may be beside null; the schema itself where it is no such choice. */
function withoutNull(schema: Schema): Schema {
  const choices = (schema['anyOf'] ?? []) as readonly Schema[]; // By JSON Schema.
  const [only, ...others] = choices.filter(({ type }) => type !== 'null');
  return only === undefined || others.length > 0 ? schema : only;
}

/** JSON's kinds that a schema allows; a whole number is a number. */
function kindsOf(given: Schema): readonly string[] {
  const schema = documented.resolve<Schema>(given);
  const either = (schema['oneOf'] ?? schema['anyOf'] ?? []) as readonly Schema[];
  const { type = either.flatMap(kindsOf) } = schema;
  const kinds = [type].flat() as readonly string[]; // One, or a list of them.
  return kinds.map((kind) => (kind === 'integer' ? 'number' : kind));
}

/** Values that a schema names, null left out. */
function valuesOf({ const: only, enum: given, anyOf = [] }: Schema): readonly string[] {
  const ofEither = (anyOf as readonly Schema[]).flatMap((either) => valuesOf(documented.resolve<Schema>(either)));
  const values = given ?? (only === undefined ? ofEither : [only]);
  return (values as readonly unknown[]).filter((value) => value !== null).map(String);
}

function kindsOfType(type: string): readonly string[] {
  if (type.endsWith('[]')) return ['array'];
  if (type.startsWith("'")) return ['string'];
  if (type.startsWith('Readonly<Record<')) return ['object'];
  return FOREIGN[type] === undefined ? [type] : kindsOf(FOREIGN[type]);
}

describe('answers.ts', () => {
  test('has the fields of /openapi.json under its names: nullable, optional and of the same kinds', () => {
    const source = readSource('answers.ts');
    const comparison = new Comparison(source);
    for (const { path, responses } of documented.operations.filter(({ path: route }) => route.startsWith('/v1/'))) {
      const schema = responses['200']?.content?.['application/json']?.schema ?? {};
      const type = ANSWERED.get(path);
      expect(type, `the type of what ${path} answers`).toBeDefined();
      comparison.compareType(type ?? '', schema, path);
    }
    expect(comparison.differences).toEqual([]);
    const left = [...interfacesIn(source).keys()].filter((name) => !comparison.compared.has(name));
    expect(left, 'interfaces that no answer has').toEqual([
      'ListFields',
      'PointFields',
      'ModelHistoryFields',
      'EventFields',
    ]);
    expect(comparison.compared).toContain('Manifest');
  });

  test.each([
    ['a field that only the type has', 'readonly a: string; readonly b: string', { a: { type: 'string' } }],
    ['a field that only the service has', '', { a: { type: 'string' } }],
    ['a null that the type lacks', 'readonly a: number', { a: { type: ['integer', 'null'] } }],
    ['another kind', 'readonly a: string', { a: { type: 'boolean' } }],
    ['another kind within a list', 'readonly a: readonly Found[]', { a: { type: 'array', items: { type: 'string' } } }],
    ['another value', "readonly a: 'x'", { a: { type: 'string', enum: ['y'] } }],
    ['a field that may be absent', 'readonly a?: string', { a: { type: 'string' } }],
  ])('would be found to differ by %s', (_, fields, properties) => {
    const comparison = new Comparison(`interface Found { ${fields} }`);
    comparison.compareType('Found', { type: 'object', required: Object.keys(properties), properties }, 'here');
    expect(comparison.differences).not.toEqual([]);
  });
});
