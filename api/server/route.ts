/**
 * What a route is, whichever surface serves it: what it takes, what a request asks of it, how that is answered, and what the response
 * depends on. Its types go all the way: from the schemas of its parameters to `answer`, and to whoever asks the route from inside.
 */
import type { z } from 'zod';
import type { Conditions } from './conditional.ts';
import type { ResponseHeaders } from './response-headers.ts';

/** The schema of a request's parameters in one place, by name. */
export type ParametersSchema<T> = z.ZodObject & z.ZodType<T>;

/** What a route reads of a request. */
export interface GivenRequest {
  /** By name, as text; default: none. */
  readonly params?: unknown;
  /** By name, as text, or as a list where it is given more than once; default: none. */
  readonly query?: unknown;
  readonly headers?: GivenHeaders;
}

/** The headers that routes heed. */
export interface GivenHeaders extends Conditions {
  readonly 'idempotency-key'?: string | readonly string[] | undefined;
}

/** A route, whatever its parameters are; `Context` is what its surface knows besides the request. */
export interface Route<Context, Params = unknown, Query = unknown> {
  /** The pattern below the base path, such as `/v1/models/:id`. */
  readonly path: `/${string}`;
  readonly params: ParametersSchema<Params>;
  readonly query: ParametersSchema<Query>;
  /** What a request asks for; runs no query. Throws RequestInvalid with every problem at once, or HttpError. */
  readonly read: (request: GivenRequest, context: Context) => ParsedRequest<Context>;
}

/** A request that was understood. */
export type ParsedRequest<Context> = Handler<Context> & {
  /** What it comes to after defaults and clamps, JSON-compatible: equal for all requests that ask for the same. */
  readonly effective: unknown;
};

/** How a request is answered. Each rejects with HttpError where it can't be. */
export type Handler<Context> = CachedHandler<Context> | BorrowedHandler<Context> | OnceHandler<Context>;

/** The body is kept, and shared by all who ask for the same. */
export interface CachedHandler<Context> {
  readonly cached: (context: Context) => Promise<string | Buffer>;
  /**
   * All that the body depends on beside the effective request; runs no query. Left out: the body depends on all that the surface
   * says, and only the body itself tells whether it changed.
   */
  readonly dependsOn?: (context: Context) => Dependency;
  /** Rejects with what `cached` would reject with, at the cost of a look-up; left out where it never does. */
  readonly assertThere?: ((context: Context) => Promise<void>) | undefined;
}

/** The body is read faster than it would be kept: so large and often different that it would push all others out. */
export interface BorrowedHandler<Context> {
  readonly borrowed: (context: Context) => Promise<BorrowedBytes>;
  readonly dependsOn: (context: Context) => Dependency;
}

/** The body is made for each request, such as a signed address. */
export interface OnceHandler<Context> {
  readonly once: (context: Context) => Promise<OnceResponse>;
}

export interface OnceResponse {
  readonly status: 200 | 302;
  readonly headers: ResponseHeaders;
  readonly body: string;
}

/** Bytes whose memory is used again once they are given back; where nobody does, it is collected as any other. */
export interface BorrowedBytes {
  readonly bytes: Buffer;
  readonly release: () => void;
}

/** What a body depends on, and when that last changed. */
export interface Dependency {
  /** As JSON: the same while the body is the same. */
  readonly on: unknown;
  readonly changedAt: Date;
}

/** What a route is asked from inside: parameters as text, as in a URL; those that are undefined are left out. */
export type RouteArguments<Params, Query> = {
  readonly query?: { readonly [Name in keyof Query]?: string | undefined };
} & (keyof Params extends never
  ? { readonly params?: Readonly<Record<never, string>> }
  : { readonly params: { readonly [Name in keyof Params]: string } });
