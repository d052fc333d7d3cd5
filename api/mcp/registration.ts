import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ReportedReasons } from '../../runtime/repeat.ts';
import { isThisMachine } from '../../runtime/this-machine.ts';
import { API_ERRORS } from '../data/api-errors.ts';
import { JSON_TYPE } from '../data/responses/data-responses.ts';
import type { WholeResponse } from '../server/bind-route.ts';
import { sendError } from '../server/errors/error-handling.ts';
import { HttpError, type RequestInvalid } from '../server/errors/http-error.ts';

/**
 * What of a registration (RFC 7591) is passed on. No keys of clients and no address of them: nothing is fetched for whoever asks. And no
 * scope: every program may ask for all that there is.
 */
const FIELDS = [
  'client_name',
  'client_uri',
  'redirect_uris',
  'token_endpoint_auth_method',
  'grant_types',
  'response_types',
  'software_id',
  'software_version',
  'application_type',
];

/**
 * A registration as the provider takes it. Programs on people's own machines, which come back to this computer or to an app, are
 * `native` whether or not they say so: many don't, and as `web` they would be refused. So are those that name a page on the web as well.
 */
export function registrationFrom(body: unknown): Readonly<Record<string, unknown>> {
  const given = Object.entries(Object(body)).filter(([name]) => FIELDS.includes(name));
  const registration = Object.fromEntries(given);
  const { redirect_uris: redirects, application_type: type } = registration;
  if (type !== undefined || !Array.isArray(redirects)) return registration;
  return { ...registration, application_type: redirects.some(isOfMachine) ? 'native' : 'web' };
}

function isOfMachine(redirect: unknown): boolean {
  if (typeof redirect !== 'string' || !URL.canParse(redirect)) return false;
  const url = new URL(redirect);
  return url.protocol === 'http:' ? isThisMachine(url) : url.protocol !== 'https:';
}

/** How the provider describes grants that are no good, which it reports under other codes than `invalid_grant`. */
const INVALID_GRANTS: readonly string[] = ['code verification failed', 'session no longer exists'];

/** What a description may hold: no quotation marks, no backslash, ASCII. */
const NOT_DESCRIBING = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/gu;

/** Who asked, as far as the refusal depends on it. */
export interface RefusedClient {
  /** Whether it proved itself by the header `Authorization`, which is then answered with a challenge. */
  readonly hasHeader: boolean;
  readonly isKnown: boolean;
}

/**
 * What the provider refuses at its token endpoint, with the codes of RFC 6749, 5.2 and RFC 7636, 4.6.
 *
 * The provider's refusal as programs can go by it: the code, and 400, or 401 where the program itself is refused by its header.
 */
export function tokenRefusal(
  { error, error_description }: { readonly error: string; readonly error_description: string },
  { hasHeader, isKnown }: RefusedClient,
): WholeResponse {
  const code = codeOf(error, error_description, isKnown);
  const isChallenged = hasHeader && code === 'invalid_client';
  return {
    status: isChallenged ? 401 : 400,
    headers: {
      ...(isChallenged && { 'WWW-Authenticate': 'Basic realm="modelstats"' }),
      'Cache-Control': 'no-store',
      'Content-Type': JSON_TYPE,
    },
    body: JSON.stringify({ error: code, error_description: error_description.replaceAll(NOT_DESCRIBING, '?') }),
  };
}

/** An unknown program is told so whatever else is wrong: it registers anew, where it would only ask its user again. */
function codeOf(error: string, description: string, isKnown: boolean): string {
  const isAboutGrant = error === 'invalid_grant' || error === 'invalid_user' || INVALID_GRANTS.includes(description);
  if (!isAboutGrant) return error;
  return isKnown ? 'invalid_grant' : 'invalid_client';
}

/** How long the reason of an outage is not told again. */
const TOLD_AGAIN_MS = 60_000;

/** Makes the routes of a scope refuse in OAuth's words (RFC 6749, 5.2): programs read those, and go by the code. */
export function refuseInOAuthsWords(routes: FastifyInstance, publicUrl: string): void {
  const told = new ReportedReasons({ againMs: TOLD_AGAIN_MS });
  const contextOf = ({ id: requestId }: FastifyRequest) => ({ requestId, baseUrl: publicUrl, errors: API_ERRORS });
  routes.setErrorHandler((error: unknown, request, reply) =>
    sendError(error, request, { reply, contextOf, reported: told, bodyOf }),
  );
}

function bodyOf(error: HttpError | RequestInvalid): string {
  const status = error instanceof HttpError ? error.status : 422;
  // Why the control database doesn't answer is for the log.
  const description =
    status === 503 ? 'The service can not read or write what it needs just now; try again in a moment' : error.message;
  return JSON.stringify({ error: codeOfStatus(status), error_description: description });
}

/** A program that is told to wait keeps its tokens; after any other failure of ours some ask their user anew. */
function codeOfStatus(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}
