/**
 * What a data route is: what it takes, what a request comes to, and how it is answered. A route names everything that is its
 * own, so that a new one is a file and a line in `data-routes.ts`. What all of them do alike is in `answers.ts`.
 */
import { z } from 'zod';
import type { Day } from '../../../runtime/day.ts';
import type { RecordVersion } from '../../../schemas/versions/record-version.ts';
import type { Feature } from '../../accounts/plans/plans.ts';
import type { RequestProblem } from '../../server/errors/validation.ts';
import type { LentBytes } from '../../view/text/text-file.ts';
import type { View } from '../../view/view.ts';
import type { RouteAccess } from '../access/access-control.ts';
import type { Capability } from '../access/capabilities.ts';
import type { Rights } from '../access/rights.ts';
import type { ApiErrorCode } from '../errors/api-errors.ts';
import type { Dependency } from './dependencies.ts';
import {
  type CheckedQuery,
  findHeaderProblems,
  type GivenRequest,
  parseRequest,
  type RequestSchemas,
} from './parse-request.ts';

/** Text that is JSON: what the view stores as it will be sent is neither parsed nor printed again. */
export type JsonText = string;

/** What a route may know besides the request. */
export interface RequestContext {
  readonly view: View;
  readonly rights: Rights;
  /** The versions of the records, announced ones included. */
  readonly versions: readonly RecordVersion[];
  readonly now: Date;
  readonly today: Day;
}

/** What a route may know whose answer is made once. */
export interface OnceContext extends RequestContext {
  /** A URL from which anybody can download an object of the store for a while. */
  readonly signUrl: SignUrl;
}

export type SignUrl = (key: string, options: { readonly expiresInSeconds: number }) => Promise<string>;

/** The capabilities that have data routes. */
export type DataCapability = Extract<Capability, 'current' | 'history' | 'snapshots' | 'changes'>;

/** An answer that isn't the usual 200 with a body that others may be given too. */
export interface OnceAnswer {
  readonly status: 200 | 302;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonText;
}

/**
 * How an effective request is answered; `cached`: the body is kept and shared, `lent`: it is read faster than it would be kept, `once`:
 * made for each. Throws ApiError.
 */
export type RouteAnswer<Effective> =
  | {
      readonly cached: (effective: Effective, context: RequestContext) => Promise<JsonText | Buffer>;
      /** All that the body depends on beside the effective request. Runs no query. */
      readonly dependsOn: (effective: Effective, context: RequestContext) => Dependency;
      /** Rejects with what `cached` would reject with, at the cost of a look-up; left out where it never does. */
      readonly assertThere?: (effective: Effective, context: RequestContext) => Promise<void>;
    }
  | {
      /** For answers so large and many that they would push all others out. */
      readonly lent: (effective: Effective, context: RequestContext) => Promise<LentBytes>;
      /** As of a `cached` answer. */
      readonly dependsOn: (effective: Effective, context: RequestContext) => Dependency;
    }
  | { readonly once: (effective: Effective, context: OnceContext) => Promise<OnceAnswer> };

/** What a route says about itself, whatever its parameters are. */
export interface RouteDescription {
  /** The pattern below the base path, such as `/v1/models/:id`. */
  readonly path: `/v1/${string}`;
  /** What programs made of the OpenAPI document call it; it stays. */
  readonly operationId: string;
  readonly capability: DataCapability;
  /** What the caller's plan must include; null: nothing. */
  readonly feature: Feature | null;
  /** The backstop: requests of one key in any 60 seconds, unless configured otherwise. */
  readonly limitPerMinute: number;
  /** True where answers cost no unit of the quota. */
  readonly isFree?: boolean;
  readonly summary: string;
  readonly description?: string;
  /** The body, for the OpenAPI document and the tests; nothing is checked against it while serving. */
  readonly response: z.ZodType;
  /** A body, for the OpenAPI document. */
  readonly example: unknown;
  /** True where the answer may be a redirect. */
  readonly redirects?: boolean;
  /** Beyond those that every data route has. */
  readonly errors: readonly ApiErrorCode[];
  readonly cacheControl: 'public, max-age=60' | 'private, max-age=60';
}

/** A route as it is written down. */
export interface DataRouteDefinition<Params, Query, Effective> extends RouteDescription {
  /** Default: none. */
  readonly params?: RequestSchemas<Params, Query>['params'];
  /** Default: none. */
  readonly query?: RequestSchemas<Params, Query>['query'];
  /** Finds what is wrong with query parameters that are right one by one. */
  readonly check?: (query: CheckedQuery<Query>, context: RequestContext) => readonly RequestProblem[];
  /** The effective request: JSON-compatible. Throws ApiError; runs no query on the view. */
  readonly prepare: (request: { readonly params: Params; readonly query: Query }, context: RequestContext) => Effective;
  readonly answer: RouteAnswer<Effective>;
}

/** A data route of whatever parameters. */
export interface DataRoute extends RouteDescription {
  readonly access: RouteAccess;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /**
   * The effective request: JSON-compatible. Throws RequestInvalid with every problem of the request at once, or ApiError.
   */
  readonly prepare: (request: GivenRequest, context: RequestContext) => unknown;
  /** Takes what `prepare` made. */
  readonly answer: RouteAnswer<unknown>;
}

/** Makes a route of its definition: the types of its parameters end here. */
export function dataRoute<P, Q, E>(definition: DataRouteDefinition<P, Q, E>): DataRoute {
  const { params = NO_PARAMETERS, query = NO_PARAMETERS, check, prepare, answer, ...description } = definition;
  const { path, capability, feature, limitPerMinute } = description;
  return {
    ...description,
    access: { name: path.replaceAll(/:(\w+)/g, '{$1}'), capability, feature, limitPerMinute },
    params,
    query,
    prepare: (request, context) => {
      // Without `params` or `query` P or Q is `{}`, which is what NO_PARAMETERS parses to.
      const schemas = { params, query } as RequestSchemas<P, Q>;
      const checked = (values: CheckedQuery<Q>) => [
        ...(check?.(values, context) ?? []),
        ...findHeaderProblems(request),
      ];
      return prepare(parseRequest({ ...schemas, check: checked }, request), context);
    },
    answer: answer as RouteAnswer<unknown>, // Only ever given what `prepare` made, an E.
  };
}

const NO_PARAMETERS = z.object({});

/** An array of values that are JSON text already. */
export function jsonArray(texts: readonly JsonText[]): JsonText {
  return `[${texts.join(',')}]`;
}

/** The bytes before and behind the elements of an array in an object, whose other values are JSON text already. */
export function jsonFrame(
  before: Readonly<Record<string, JsonText>>,
  array: string,
  after: Readonly<Record<string, JsonText>>,
): { readonly head: Buffer; readonly tail: Buffer } {
  const whole = jsonObject({ ...before, [array]: '[]', ...after });
  const headLength = jsonObject({ ...before, [array]: '[' }).length - '}'.length;
  return { head: Buffer.from(whole.slice(0, headLength)), tail: Buffer.from(whole.slice(headLength)) };
}

/** An object whose values are JSON text already, in the order given. */
export function jsonObject(fields: Readonly<Record<string, JsonText>>): JsonText {
  return `{${Object.entries(fields)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;
}
