/**
 * A data route names everything specific to it, so a new one needs a file and a line in `data-routes.ts`;
 * api/server/responder.ts has what they share.
 */
import type { z } from 'zod';
import type { Day } from '../../../runtime/day.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import type { Feature } from '../../accounts/organizations/plans.ts';
import type { RequestProblem } from '../../server/errors/http-error.ts';
import { type CheckedQuery, parseRequest, schemasOf } from '../../server/parse-request.ts';
import type { GivenHeaders, GivenRequest, Handler, ParametersSchema, Route } from '../../server/route.ts';
import type { JsonText, View } from '../../view/view.ts';
import type { RouteAccess } from '../access/access-control.ts';
import type { Capability, Rights } from '../access/rights.ts';
import type { ApiErrorCode } from '../api-errors.ts';
import type { Exports } from '../exports/exports.ts';
import type { ResponseSettings } from '../settings.ts';
import { csvRequest } from './csv-request.ts';
import { JSON_FORMAT, readFormat } from './format.ts';

export interface RequestContext {
  readonly view: View;
  readonly rights: Rights;
  /** Including announced ones. */
  readonly versions: readonly RecordVersion[];
  readonly now: Date;
  readonly today: Day;
  readonly settings: ResponseSettings;
}

/** Only uncached responses may sign URLs. */
export interface DataContext extends RequestContext {
  /** A temporary URL from which anyone can download. */
  readonly signUrl: SignUrl;
  readonly exports: Exports;
}

export type SignUrl = (key: string, options: { readonly expiresInSeconds: number }) => Promise<string>;

/** The capabilities that have data routes. */
export type DataCapability = Extract<
  Capability,
  'current' | 'pricing' | 'lifecycle' | 'resolve' | 'history' | 'snapshots' | 'exports' | 'changes'
>;

export type JsonObject = Readonly<Record<string, unknown>>;

/** JSON, or text of another type. */
export type ResponseBody = JsonObject | string;

export interface RouteDescription<Body extends ResponseBody = ResponseBody> {
  /** Such as `/v1/models/:id`. */
  readonly path: `/v1/${string}`;
  /** Method name in generated clients; never changes. */
  readonly operationId: string;
  readonly capability: DataCapability;
  /** Required of the plan; null: nothing. */
  readonly feature: Feature | null;
  /** The backstop: requests of one key in any 60 seconds, unless configured otherwise. */
  readonly limitPerMinute: number;
  /** True: costs no unit. */
  readonly isFree?: boolean;
  readonly summary: string;
  readonly description?: string;
  /** For the OpenAPI document and the tests; not checked while serving. */
  readonly response: z.ZodType<Body>;
  /** For the OpenAPI document. */
  readonly example: unknown;
  /** `Content-Type` of the response; default: JSON. */
  readonly type?: string;
  /** Descriptions of further headers, by name. */
  readonly documentedHeaders?: Readonly<Record<string, string>>;
  readonly redirects?: boolean;
  /** The field of the body with the list that `format=csv` gives; absent: the route has no such format. */
  readonly csv?: string;
  /** What the ETag depends on beside the effective request, for the specification; null if never cached. */
  readonly dependsOnText: string | null;
  /** Besides those of every data route. */
  readonly errors: readonly ApiErrorCode[];
  readonly cacheControl: 'public, max-age=60' | 'private, max-age=60';
}

export interface DataRouteDefinition<Params, Query, Effective, Body extends ResponseBody>
  extends RouteDescription<Body> {
  /** Default: none. */
  readonly params?: ParametersSchema<Params>;
  /** Default: none. */
  readonly query?: ParametersSchema<Query>;
  /** For problems across parameters that are valid one by one. */
  readonly check?: (query: CheckedQuery<Query>, context: RequestContext) => readonly RequestProblem[];
  /** The effective request: JSON-compatible. Throws ApiError; must not query the view. */
  readonly prepare: (request: { readonly params: Params; readonly query: Query }, context: RequestContext) => Effective;
  readonly handle: (effective: Effective) => Handler<DataContext>;
}

/** A data route; callers inside the process use its body's type. */
export interface DataRoute<Params = unknown, Query = unknown, Body extends ResponseBody = ResponseBody>
  extends Route<DataContext, Params, Query>,
    RouteDescription<Body> {
  readonly path: `/v1/${string}`;
  readonly access: RouteAccess;
}

/** Callers inside the process can use its body. */
export type JsonRoute = DataRoute<unknown, unknown, JsonObject>;

export type BodyOf<R extends DataRoute> = z.output<R['response']>;

export function dataRoute<P, Q, E, B extends ResponseBody>(
  definition: DataRouteDefinition<P, Q, E, B>,
): DataRoute<P, Q, B> {
  const { params, query, check, prepare, handle, ...description } = definition;
  const { path, capability, feature, limitPerMinute, csv } = description;
  const schemas = schemasOf<P, Q>({ ...(params && { params }), ...(query && { query }) });
  return {
    ...description,
    ...schemas,
    access: { name: path.replaceAll(/:(\w+)/g, '{$1}'), capability, feature, limitPerMinute },
    read: (request, context) => {
      const { format, problems } = csv === undefined ? JSON_FORMAT : readFormat(request);
      const checked = (values: CheckedQuery<Q>) => [
        ...(check?.(values, context) ?? []),
        ...problems,
        ...findHeaderProblems(request),
      ];
      const parsed = parseRequest({ ...schemas, check: checked }, request);
      const effective = prepare(parsed, context);
      const json = { effective, ...handle(effective) };
      if (csv === undefined || format === 'json') return json;
      return csvRequest(json, { list: csv, query: Object(parsed.query), route: description, context });
    },
  };
}

/** Longest key, in characters (specification "Idempotency-Key"). */
const IDEMPOTENCY_KEY_LENGTH_MAX = 128;

export function findHeaderProblems({ headers }: Pick<GivenRequest, 'headers'>): readonly RequestProblem[] {
  const key = idempotencyKeyOf(headers);
  if (key === undefined) return [];
  const problem = { loc: ['header', 'Idempotency-Key'], input: key };
  const max = IDEMPOTENCY_KEY_LENGTH_MAX;
  if (key === '') {
    return [
      { ...problem, msg: 'String should have at least 1 character', type: 'string_too_short', ctx: { min_length: 1 } },
    ];
  }
  if (key.length <= max) return [];
  const msg = `String should have at most ${max} characters`;
  return [{ ...problem, msg, type: 'string_too_long', ctx: { max_length: max } }];
}

/** Node joins repeated headers with a comma, so there is no list. */
export function idempotencyKeyOf(headers: GivenHeaders | undefined): string | undefined {
  const key = headers?.['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}

export function jsonArray(texts: readonly JsonText[]): JsonText {
  return `[${texts.join(',')}]`;
}

/** The text around the elements of an array in an object; all values are JSON text. */
export function jsonFrame(
  before: Readonly<Record<string, JsonText>>,
  array: string,
  after: Readonly<Record<string, JsonText>>,
): { readonly head: JsonText; readonly tail: JsonText } {
  const whole = jsonObject({ ...before, [array]: '[]', ...after });
  const headLength = jsonObject({ ...before, [array]: '[' }).length - '}'.length;
  return { head: whole.slice(0, headLength), tail: whole.slice(headLength) };
}

/** An object of values that are JSON text, in the given order. */
export function jsonObject(fields: Readonly<Record<string, JsonText>>): JsonText {
  return `{${Object.entries(fields)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;
}
