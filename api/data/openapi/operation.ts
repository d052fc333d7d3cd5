import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import type { SchemaCollector } from './schema-collector.ts';

/** Responses by status. `openapi-types` has those of 3.0 mixed into its own `ResponsesObject`. */
export type Responses = Readonly<Record<string, OpenApi.ResponseObject | OpenApi.ReferenceObject>>;

/** What an operation with a key asks for. Said of each one: programs that make clients don't look at what the document says of all. */
export const BEARER = [{ bearer: [] }] as const;

/** What can be done with a path; every one is a GET. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** {@link BEARER}, or empty for one that needs no key. */
  readonly security: typeof BEARER | readonly [];
  readonly parameters?: readonly (OpenApi.ParameterObject | OpenApi.ReferenceObject)[];
  readonly responses: Responses;
}

/** Operations by path, as the document has them. */
export type Paths = Readonly<Record<string, { readonly get: Operation }>>;

/** What operations share, as components of the document. */
export interface Collectors {
  readonly schemas: SchemaCollector;
  readonly responses: ResponseCollector;
}

/** Responses that many operations share, each under a name in the document's components. */
export class ResponseCollector {
  readonly #components = new Map<string, OpenApi.ResponseObject>();

  /** A reference to the response of this name, which must be the same wherever it is used. */
  share(name: string, response: OpenApi.ResponseObject): OpenApi.ReferenceObject {
    const known = this.#components.get(name) ?? response;
    if (JSON.stringify(known) !== JSON.stringify(response))
      throw new Error(`two different responses are called ${name}`);
    this.#components.set(name, known);
    return { $ref: `#/components/responses/${name}` };
  }

  /** Every shared response so far, by name. */
  get components(): Record<string, OpenApi.ResponseObject> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
