/**
 * A consumer's program on a client that openapi-typescript made of the document: it asks every route as the reference asks it, and prints
 * their names. `every_route.py` reads every list and shape as well. A new route needs no line in either.
 */
// biome-ignore lint/correctness/noUndeclaredDependencies: scripts/clients.sh installs it, beside which this is compiled and run.
import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

/** The body of each route with a key: one that has none does not compile. */
type Bodies = {
  readonly [Path in Extract<keyof paths, `/v1/${string}`>]: BodyOf<paths[Path]['get']['responses'][200]['content']>;
};
/** JSON, or the text of a file. */
type BodyOf<Content> = Content[keyof Content];

/** The reference as far as it is read here: what it fills in works as it stands. */
interface Reference {
  readonly paths: Readonly<Record<string, { readonly get: ReferenceOperation }>>;
}
interface ReferenceOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name?: string;
    readonly in?: string;
    readonly required?: boolean;
    readonly examples?: { readonly default: { readonly value: unknown } };
  }[];
}

// Paths and parameters are those of the document, which no type knows.
const untyped = client as unknown as {
  GET(path: string, options: object): Promise<{ readonly data?: Bodies[keyof Bodies]; readonly error?: unknown }>;
};
const reference = (await (await fetch(`${baseUrl}/docs/reference/openapi.json`)).json()) as Reference;
const names: string[] = [];
for (const [path, { get }] of Object.entries(reference.paths)) {
  if (!path.startsWith('/v1/')) continue;
  const required = (get.parameters ?? []).filter((parameter) => parameter.required === true);
  const valuesIn = (place: string) =>
    required.filter((one) => one.in === place).map(({ name = '', examples }) => [name, examples?.default.value]);
  const params = { path: Object.fromEntries(valuesIn('path')), query: Object.fromEntries(valuesIn('query')) };
  const { data, error } = await untyped.GET(path, { params, parseAs: path.endsWith('.csv') ? 'text' : 'json' });
  if (data === undefined) throw new Error(JSON.stringify(error));
  names.push(get.operationId);
}
console.log(JSON.stringify(names));
