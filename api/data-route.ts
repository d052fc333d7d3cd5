/**
 * What a data route is: what it takes, what a request comes to, and how it is answered. Everything that all of them do alike
 * is in `serve-data-route.ts`.
 */
import type { z } from 'zod';
import type { ApiErrorCode } from '../schemas/api-errors.ts';
import type { Day } from '../schemas/day.ts';
import type { RecordVersion } from '../schemas/record-version.ts';
import type { Capability } from './access/capabilities.ts';
import type { CheckedQuery, RequestSchemas } from './parse-request.ts';
import type { Rights } from './rights.ts';
import type { Problem } from './validation.ts';
import type { View } from './view/view.ts';

export type JsonText = string;

/** What a route may know besides the request. */
export interface RequestContext {
  readonly view: View;
  readonly rights: Rights;
  /** The versions of the records, announced ones included. */
  readonly versions: readonly RecordVersion[];
  readonly now: Date;
  readonly today: Day;
  /** `scheme://host/prefix`, without a slash at the end. */
  readonly baseUrl: string;
  /** A URL from which anybody can download an object of the store for a while. */
  readonly signUrl: SignUrl;
}

export type SignUrl = (key: string, options: { readonly expiresInSeconds: number }) => Promise<string>;

/** The capabilities that have data routes. */
export type DataCapability = Extract<Capability, 'current' | 'history' | 'snapshots' | 'changes'>;

/** An answer that isn't the usual 200 with a cacheable body. */
export interface SpecialAnswer {
  readonly status: 200 | 302;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonText;
}

export interface DataRoute<Params, Query, Effective> {
  /** Fastify's pattern below the base path. */
  readonly path: `/v1/${string}`;
  readonly capability: DataCapability;
  readonly summary: string;
  readonly description?: string;
  readonly params: RequestSchemas<Params, Query>['params'];
  readonly query: RequestSchemas<Params, Query>['query'];
  /** Finds what is wrong with query parameters that are right one by one. */
  readonly check?: (query: CheckedQuery<Query>, context: RequestContext) => readonly Problem[];
  /** The body, for the OpenAPI document and the tests; nothing is checked against it while serving. */
  readonly response: z.ZodType;
  /** True where the answer may be a redirect. */
  readonly redirects?: boolean;
  /** Beyond those that every data route has. */
  readonly errors: readonly ApiErrorCode[];
  readonly cacheControl: 'public, max-age=60' | 'private, max-age=60';
  /** True where the same request on the same release is answered differently tomorrow. */
  readonly dependsOnToday: boolean;
  /** The effective request: JSON-compatible and complete. Throws ApiError; asks no query. */
  readonly prepare: (request: { readonly params: Params; readonly query: Query }, context: RequestContext) => Effective;
  /** The body, which depends on nothing else. Throws ApiError. */
  readonly answer?: (effective: Effective, context: RequestContext) => Promise<JsonText>;
  /** Instead of `answer`, for what is different each time and never cached. */
  readonly answerOnce?: (effective: Effective, context: RequestContext) => Promise<SpecialAnswer>;
}

/** A data route of whatever parameters. */
// biome-ignore lint/suspicious/noExplicitAny: a list of routes holds many kinds, each only ever called with its own types.
export type AnyDataRoute = DataRoute<any, any, any>;

/** Lets the compiler find out what a route's parameters are. */
export function dataRoute<P, Q, E>(route: DataRoute<P, Q, E>): DataRoute<P, Q, E> {
  return route;
}
