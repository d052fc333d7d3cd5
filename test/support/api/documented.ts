import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Json = { readonly [key: string]: unknown };

/** A response as a document declares it. */
export interface DocumentedResponse {
  readonly headers?: Json;
  readonly content?: Readonly<
    Record<string, { readonly schema: Json; readonly example?: unknown; readonly examples?: Json }>
  >;
}

export interface DocumentedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Json;
  readonly example?: unknown;
  /** In place of `example` in the document of the reference. */
  readonly examples?: { readonly default: { readonly value: unknown; readonly 'x-disabled': boolean } };
}

export interface DocumentedOperation {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters: readonly DocumentedParameter[];
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

/** Reads an OpenAPI document for tests: references resolved, and every schema ready to validate what it is for. */
export class Documented {
  readonly document: Json;
  readonly operations: readonly DocumentedOperation[];
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<object, ValidateFunction>();

  /** @param isClosed whether an object with keys that the document doesn't name is a mistake */
  constructor(document: Json, { isClosed }: { readonly isClosed: boolean }) {
    formats.default(this.#ajv);
    this.document = isClosed ? (close(document) as Json) : document;
    this.#ajv.addSchema({ $id: 'document', ...this.document });
    this.operations = Object.entries(this.document['paths'] as Json).map(([path, item]) => {
      const { get } = item as { get: DocumentedOperation & { parameters?: readonly Json[] } };
      const parameters = (get.parameters ?? []).map((parameter) =>
        this.resolve<DocumentedParameter>(parameter as never),
      );
      const responses = Object.entries(get.responses).map(([status, response]) => [status, this.resolve(response)]);
      return { ...get, path, parameters, responses: Object.fromEntries(responses) };
    });
  }

  /** Follows a reference within the document. */
  resolve<T>(value: T | { readonly $ref: string }): T {
    if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T;
    const keys = String(value.$ref).replace('#/', '').split('/');
    return keys.reduce<unknown>((at, key) => (at as Json)[key], this.document) as T;
  }

  /** What is wrong with a value, by a schema of the document; empty where nothing is. */
  problems(schema: Json, value: unknown): readonly string[] {
    const validate = this.#validators.get(schema) ?? this.#ajv.compile(rooted(schema) as Json);
    this.#validators.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `${instancePath} ${message} ${JSON.stringify(params)}`;
    });
  }
}

/** References that lead into the document from outside. */
function rooted(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"$ref":"#/', '"$ref":"document#/'));
}

/** The same schemas, in which an object has no keys but those that are named. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key.startsWith('example') ? inner : close(inner)]),
  );
  const isObjectSchema = copy['type'] === 'object' && typeof copy['properties'] === 'object';
  return isObjectSchema ? { ...copy, additionalProperties: false } : copy;
}
