/**
 * What a route is on any surface: its parameters, handler and dependencies, typed from the parameter schemas to the
 * handler and internal callers.
 */
import type { z } from 'zod';
import type { Piece } from '../../runtime/gzip-pieces.ts';
import type { Conditions } from './conditional.ts';
import type { ResponseHeaders } from './response-headers.ts';

export type ParametersSchema<T> = z.ZodObject & z.ZodType<T>;

/** The parts of a request that routes read. */
export interface GivenRequest {
  /** Text by name; default: none. */
  readonly params?: unknown;
  /** Text by name, or a list if repeated; default: none. */
  readonly query?: unknown;
  readonly headers?: GivenHeaders;
}

export interface GivenHeaders extends Conditions {
  readonly 'idempotency-key'?: string | readonly string[] | undefined;
}

/** `Context` is what the surface provides besides the request. */
export interface Route<Context, Params = unknown, Query = unknown> {
  /** The pattern below the base path, such as `/v1/models/:id`. */
  readonly path: `/${string}`;
  readonly params: ParametersSchema<Params>;
  readonly query: ParametersSchema<Query>;
  /** Parses a request without queries. Throws RequestInvalid with all problems, or HttpError. */
  readonly read: (request: GivenRequest, context: Context) => ParsedRequest<Context>;
}

export type ParsedRequest<Context> = Handler<Context> & {
  /** After defaults and clamps, as JSON: equal for equivalent requests. */
  readonly effective: unknown;
};

/** Each rejects with HttpError. */
export type Handler<Context> = (CachedHandler<Context> | LargeHandler<Context> | UncachedHandler<Context>) &
  HandlerHeaders<Context>;

export interface HandlerHeaders<Context> {
  /** In place of the route's own of these names, or besides them; they depend on nothing else. */
  readonly headers?: ((context: Context) => ResponseHeaders) | undefined;
}

/** The body is cached and shared by equivalent requests. */
export interface CachedHandler<Context> {
  readonly cached: (context: Context) => Promise<Content>;
  /** Dependencies besides the effective request; runs no query. Absent: anything in the context may affect the body. */
  readonly dependsOn?: (context: Context) => Dependency;
  /** Rejects as `cached` would, at the cost of a look-up; absent: it never does. */
  readonly assertExists?: ((context: Context) => Promise<void>) | undefined;
}

/** A body, maybe with headers that are known with it. */
export type Content = string | Buffer | { readonly body: string; readonly headers: ResponseHeaders };

/** The body is so large and varied that it would evict everything else from the cache. */
export interface LargeHandler<Context> {
  readonly large: (context: Context) => Promise<readonly Piece[]>;
  readonly dependsOn: (context: Context) => Dependency;
}

/** The body is made per request, such as a signed address. */
export interface UncachedHandler<Context> {
  readonly uncached: (context: Context) => Promise<UncachedResponse>;
}

export interface UncachedResponse {
  readonly status: 200 | 302;
  readonly headers: ResponseHeaders;
  readonly body: string;
}

export interface Dependency {
  /** JSON that changes with the body. */
  readonly on: unknown;
  readonly changedAt: Date;
}

/** Arguments of an internal call: text parameters as in a URL; undefined ones are omitted. */
export type RouteArguments<Params, Query> = {
  readonly query?: { readonly [Name in keyof Query]?: string | undefined };
} & (keyof Params extends never
  ? { readonly params?: Readonly<Record<never, string>> }
  : { readonly params: { readonly [Name in keyof Params]: string } });
