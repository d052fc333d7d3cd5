import { z } from 'zod';
import type { Day } from '../../runtime/day.ts';
import { type GivenRequest, parseRequest, type RequestSchemas } from '../api/answers/parse-request.ts';
import type { Capability } from '../data/access/capabilities.ts';
import type { HttpError } from '../server/errors/http-error.ts';
import type { RequestInvalid } from '../server/errors/validation.ts';
import type { View } from '../view/view.ts';
import type { AskPublic } from './ask.ts';

/** What an answer without a key may be made of. */
export interface PublicContext {
  readonly view: View;
  /** The answers of the API, as an organization on Community gets them. */
  readonly ask: AskPublic;
  /** Whether a capability is there for everybody. */
  readonly isLive: (capability: Capability) => boolean;
  readonly now: Date;
  readonly today: Day;
  /** `scheme://host/prefix` of this service, before its own addresses. */
  readonly baseUrl: string;
}

/** What is sent in place of the error envelope, where a route answers programs that don't read it. */
export interface PublicRefusal {
  readonly status: number;
  readonly body: string;
}

/** What a route says about itself, whatever its parameters are. */
export interface PublicRouteDescription {
  /** The pattern below the base path, such as `/badges/models/:file`. */
  readonly path: `/${string}`;
  /** `Content-Type` of its answers. */
  readonly type: string;
  /** What the OpenAPI document says of it: what it answers, in a few words, and what programs call it. One without is not in there. */
  readonly operation?: { readonly operationId: string; readonly summary: string };
  /** What its answers have besides; default: nothing. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An error as this route tells it; undefined, or left out: as the error envelope. */
  readonly refuse?: (error: HttpError | RequestInvalid, request: GivenRequest) => PublicRefusal | undefined;
}

/** A route as it is written down. */
export interface PublicRouteDefinition<Params, Query> extends PublicRouteDescription {
  /** Default: none. */
  readonly params?: RequestSchemas<Params, Query>['params'];
  /** Default: none. */
  readonly query?: RequestSchemas<Params, Query>['query'];
  /** The body. Rejects with HttpError or RequestInvalid. Depends on nothing but the request and the view, the day and the base URL. */
  readonly answer: (
    request: { readonly params: Params; readonly query: Query },
    context: PublicContext,
  ) => Promise<string>;
}

/** A route for everybody, of whatever parameters. */
export interface PublicRoute extends PublicRouteDescription {
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** What a request asks for. Throws RequestInvalid. */
  readonly read: (request: GivenRequest) => PublicQuestion;
}

/** A request whose parameters are right. */
export interface PublicQuestion {
  /** The same for all requests that ask for the same, however their URLs are spelled and whatever else these hold. */
  readonly key: string;
  /** The body. Rejects with HttpError or RequestInvalid. */
  readonly answer: (context: PublicContext) => Promise<string>;
}

/** Makes a route of its definition: the types of its parameters end here. */
export function publicRoute<P, Q>(definition: PublicRouteDefinition<P, Q>): PublicRoute {
  const { params = NO_PARAMETERS, query = NO_PARAMETERS, answer, ...description } = definition;
  return {
    ...description,
    params,
    query,
    read: (request) => {
      // Without `params` or `query` P or Q is `{}`, which is what NO_PARAMETERS parses to.
      const schemas = { params, query } as RequestSchemas<P, Q>;
      const asked = parseRequest(schemas, request);
      // What is parsed has its parameters in the order of the schemas.
      const key = JSON.stringify([description.path, asked.params, asked.query]);
      return { key, answer: (context) => answer(asked, context) };
    },
  };
}

const NO_PARAMETERS = z.object({});
