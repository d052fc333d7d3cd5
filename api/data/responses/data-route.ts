/**
 * What a data route is: what it takes, what a request comes to, and how it is answered. A route names everything that is its
 * own, so that a new one is a file and a line in `data-routes.ts`. What all of them do alike is in api/server/responder.ts.
 */
import type { z } from 'zod';
import type { Day } from '../../../runtime/day.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import type { Feature } from '../../accounts/organizations/plans.ts';
import type { RequestProblem } from '../../server/errors/http-error.ts';
import { type CheckedQuery, parseRequest, schemasOf } from '../../server/parse-request.ts';
import type { GivenHeaders, GivenRequest, Handler, ParametersSchema, Route } from '../../server/route.ts';
import type { View } from '../../view/view.ts';
import type { RouteAccess } from '../access/access-control.ts';
import type { Capability, Rights } from '../access/rights.ts';
import type { ApiErrorCode } from '../api-errors.ts';
import type { ResponseSettings } from '../settings.ts';

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
  readonly settings: ResponseSettings;
}

/** What the surface knows of a request; only an answer that is made once takes addresses from it. */
export interface DataContext extends RequestContext {
  /** A URL from which anybody can download an object of the store for a while. */
  readonly signUrl: SignUrl;
}

export type SignUrl = (key: string, options: { readonly expiresInSeconds: number }) => Promise<string>;

/** The capabilities that have data routes. */
export type DataCapability = Extract<Capability, 'current' | 'history' | 'snapshots' | 'changes'>;

/** A body in JSON: every data route answers with an object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What a route says about itself, whatever its parameters are. */
export interface RouteDescription<Body extends JsonObject = JsonObject> {
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
  readonly response: z.ZodType<Body>;
  /** A body, for the OpenAPI document. */
  readonly example: unknown;
  /** True where the answer may be a redirect. */
  readonly redirects?: boolean;
  /** What its tag depends on beside the effective request, for the specification; null where each answer is made anew. */
  readonly dependsOnText: string | null;
  /** Beyond those that every data route has. */
  readonly errors: readonly ApiErrorCode[];
  readonly cacheControl: 'public, max-age=60' | 'private, max-age=60';
}

/** A route as it is written down. */
export interface DataRouteDefinition<Params, Query, Effective, Body extends JsonObject> extends RouteDescription<Body> {
  /** Default: none. */
  readonly params?: ParametersSchema<Params>;
  /** Default: none. */
  readonly query?: ParametersSchema<Query>;
  /** Finds what is wrong with query parameters that are right one by one. */
  readonly check?: (query: CheckedQuery<Query>, context: RequestContext) => readonly RequestProblem[];
  /** The effective request: JSON-compatible. Throws ApiError; runs no query on the view. */
  readonly prepare: (request: { readonly params: Params; readonly query: Query }, context: RequestContext) => Effective;
  readonly handle: (effective: Effective) => Handler<DataContext>;
}

/** A data route; its body's type is for whoever asks it from inside. */
export interface DataRoute<Params = unknown, Query = unknown, Body extends JsonObject = JsonObject>
  extends Route<DataContext, Params, Query>,
    RouteDescription<Body> {
  readonly path: `/v1/${string}`;
  readonly access: RouteAccess;
}

/** What a route answers with. */
export type BodyOf<R extends DataRoute> = z.output<R['response']>;

/** Makes a route of its definition. */
export function dataRoute<P, Q, E, B extends JsonObject>(
  definition: DataRouteDefinition<P, Q, E, B>,
): DataRoute<P, Q, B> {
  const { params, query, check, prepare, handle, ...description } = definition;
  const { path, capability, feature, limitPerMinute } = description;
  const schemas = schemasOf<P, Q>({ ...(params && { params }), ...(query && { query }) });
  return {
    ...description,
    ...schemas,
    access: { name: path.replaceAll(/:(\w+)/g, '{$1}'), capability, feature, limitPerMinute },
    read: (request, context) => {
      const checked = (values: CheckedQuery<Q>) => [
        ...(check?.(values, context) ?? []),
        ...findHeaderProblems(request),
      ];
      const effective = prepare(parseRequest({ ...schemas, check: checked }, request), context);
      return { effective, ...handle(effective) };
    },
  };
}

/** Longest `Idempotency-Key`, in characters (specification "Idempotency-Key"). */
const IDEMPOTENCY_KEY_LENGTH_MAX = 128;

/** What is wrong with the `Idempotency-Key` of a request; none is fine. */
export function findHeaderProblems({ headers }: Pick<GivenRequest, 'headers'>): readonly RequestProblem[] {
  const key = idempotencyKeyOf(headers);
  if (key === undefined) return [];
  const told = { loc: ['header', 'Idempotency-Key'], input: key };
  const max = IDEMPOTENCY_KEY_LENGTH_MAX;
  if (key === '') {
    return [
      { ...told, msg: 'String should have at least 1 character', type: 'string_too_short', ctx: { min_length: 1 } },
    ];
  }
  if (key.length <= max) return [];
  const msg = `String should have at most ${max} characters`;
  return [{ ...told, msg, type: 'string_too_long', ctx: { max_length: max } }];
}

/** Node joins what is sent twice with a comma, so there is no list. */
export function idempotencyKeyOf(headers: GivenHeaders | undefined): string | undefined {
  const key = headers?.['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}

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
