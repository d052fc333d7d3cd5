import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';

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
