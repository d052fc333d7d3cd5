/** The types of answers and filters, held by the compiler to the service's own description of them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { V1_ROUTES } from '../../api/data/routes/data-routes.ts';
import { Documented } from '../support/api/documented.ts';
import { useApi } from '../support/api/use-api.ts';
import { OWN_CALLS } from '../support/client/client-calls.ts';
import { ROOT } from '../support/documents/text-files.ts';

type Schema = Readonly<Record<string, unknown>>;

const COMPARE = `
import type { ModelstatsClient } from '../../client/client.ts';
import type { ChangeFilters, ModelFilters, ModelHistoryFilters, QueryOf, ScoreFilters } from '../../client/filters.ts';
type Plain<T> = T extends readonly (infer Item)[] ? Plain<Item>[] : T extends object ? Fields<T> : T;
type Fields<T> = { -readonly [K in keyof T]-?: object extends Pick<T, K> ? [Plain<T[K]>] : Plain<T[K]> };
type Equal<A, B> = [Plain<A>, Plain<B>] extends [Plain<B>, Plain<A>] ? true : false;
type Body<Name extends keyof ModelstatsClient> = ModelstatsClient[Name] extends (...args: never[]) => Promise<{ body: infer B }> ? B : never;
`;

/** Filters that are one of some words, as the client writes them. */
const WORDS: Readonly<Record<string, string>> = {
  'listModels sort': "NonNullable<ModelFilters['sort']>",
  'listScores sort': "NonNullable<ScoreFilters['sort']>",
  'getModelHistory kind': "ModelHistoryFilters['kind']",
  'listChanges entity_type': "NonNullable<ChangeFilters['entity_type']>",
};

const api = useApi({ days: ['2026-06-01'], accounts: {} });
let documented: Documented;
let folder: string;
beforeAll(async () => {
  documented = new Documented(await api.json('/openapi.json'), { isClosed: false });
  mkdirSync(join(ROOT, 'reports'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'reports', 'types-')); // Inside the project, so that it is compiled as its files are.
  const compilerOptions = { noEmit: true, allowImportingTsExtensions: true };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] }),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A schema as TypeScript. The words of a plan may become more, so the client knows them as text. */
function typeOf(schema: Schema, hasWords = true): string {
  const { $ref, anyOf, oneOf, const: only, enum: words, type, items, properties, required = [] } = schema;
  const named = String($ref).split('/').at(-1);
  if ($ref !== undefined) return typeOf(documented.resolve<Schema>(schema), named !== 'AccountPlan');
  const either = (anyOf ?? oneOf) as readonly Schema[] | undefined; // By JSON Schema, as all that follows.
  if (either !== undefined) return either.map((one) => typeOf(one)).join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  if (words !== undefined && hasWords) return (words as unknown[]).map((word) => JSON.stringify(word)).join(' | ');
  const fields = Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>).map(([name, field]) => {
    const mark = (required as string[]).includes(name) ? '' : '?';
    return `${name}${mark}: ${typeOf(field, hasWords)}`;
  });
  const kinds: Readonly<Record<string, () => string>> = {
    integer: () => 'number',
    array: () => `(${typeOf(items as Schema, hasWords)})[]`,
    object: () => `{ ${fields.join('; ')} }`,
  };
  return [type]
    .flat()
    .map((kind) => kinds[String(kind)]?.() ?? String(kind))
    .join(' | ');
}

/** What the compiler says of types that should be equal, by name. */
function compare(pairs: Readonly<Record<string, readonly [declared: string, described: string]>>): string {
  const lines = Object.entries(pairs).map(
    ([name, [declared, described]]) => `export const ${name}: Equal<${declared}, ${described}> = true;`,
  );
  writeFileSync(join(folder, 'compared.ts'), `${COMPARE}${lines.join('\n')}`);
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' }).stdout;
}

test('answers and filters are of the types that /openapi.json tells', () => {
  const operations = documented.operations.filter(({ path }) => path.startsWith('/v1/'));
  const bodies = operations.map(({ operationId, responses }) => {
    const schema = responses['200']?.content?.['application/json']?.schema ?? {};
    return [operationId, [`Body<'${OWN_CALLS[operationId] ?? operationId}'>`, typeOf(schema)]] as const;
  });
  const words = operations.flatMap(({ operationId, parameters }) =>
    parameters.flatMap(({ name, schema }) => {
      const declared = WORDS[`${operationId} ${name}`];
      return declared === undefined ? [] : [[`${operationId}_${name}`, [declared, typeOf(schema)]] as const];
    }),
  );
  const queries = operations.map(({ operationId, parameters }) => {
    const query = parameters.filter((parameter) => parameter.in === 'query');
    const fields = query.map(({ name, required, schema }) => `${name}${required ? '' : '?'}: ${typeOf(schema)}`);
    return [`${operationId}_query`, [`QueryOf<'${operationId}'>`, `{ ${fields.join('; ')} }`]] as const;
  });
  expect([bodies.length, words.length]).toEqual([V1_ROUTES.length, Object.keys(WORDS).length]);
  expect(compare(Object.fromEntries([...bodies, ...queries, ...words]))).toBe('');
});

test('types that differ are found', () => {
  const different = {
    missing: ['{ a: string; b: string }', '{ a: string }'],
    surplus: ['{}', '{ a: string }'],
    nullable: ['{ a: number }', '{ a: number | null }'],
    kind: ['{ a: string }', '{ a: boolean }'],
    nested: ['{ a: { b: 1 }[] }', '{ a: { b: 2 }[] }'],
    optional: ['{ a?: string }', '{ a: string }'],
  } as const;
  const found = [...compare(different).matchAll(/\((\d+),14\): error TS2322/g)];
  expect(found).toHaveLength(Object.keys(different).length);
});
