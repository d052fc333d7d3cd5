import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';

/** Responses by status. `openapi-types` has those of 3.0 mixed into its own `ResponsesObject`. */
export type Responses = Readonly<Record<string, OpenApi.ResponseObject | OpenApi.ReferenceObject>>;

/** What can be done with a path; every one is a GET. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** Empty for one that needs no key; undefined: as the document says. */
  readonly security?: readonly [];
  readonly parameters?: readonly (OpenApi.ParameterObject | OpenApi.ReferenceObject)[];
  readonly responses: Responses;
}

/** Operations by path, as the document has them. */
export type Paths = Readonly<Record<string, { readonly get: Operation }>>;
