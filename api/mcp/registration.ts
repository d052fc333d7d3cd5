import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ReportedReasons } from '../../runtime/repeat.ts';
import { isThisMachine } from '../../runtime/this-machine.ts';
import { API_ERRORS } from '../data/api-errors.ts';
import { JSON_TYPE } from '../data/responses/data-responses.ts';
import type { WholeResponse } from '../server/bind-route.ts';
import { sendError } from '../server/errors/error-handling.ts';
import { HttpError, type RequestInvalid } from '../server/errors/http-error.ts';

/**
 * Fields of a registration (RFC 7591) that are passed on. No keys, so that nothing is fetched for strangers; no scope,
 * because every client may request all.
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
 * Clients that redirect to localhost or an app become `native`, even if they redirect to a web page as well: many don't
 * say so, and would be refused as `web`.
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

/** Descriptions of invalid grants that the provider reports under other codes. */
const INVALID_GRANTS: readonly string[] = ['code verification failed', 'session no longer exists'];

/** A description is ASCII without quotation marks and backslashes. */
const NOT_DESCRIBING = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/gu;

export interface RefusedClient {
  /** Whether it sent `Authorization`; refusals then carry a challenge. */
  readonly hasHeader: boolean;
  readonly isKnown: boolean;
}

/**
 * A refusal of the token endpoint with the codes of RFC 6749, 5.2 and RFC 7636, 4.6: status 400, or 401 for a wrong
 * header.
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

/** `invalid_client` makes an unknown client register anew; other codes would only ask its user again. */
function codeOf(error: string, description: string, isKnown: boolean): string {
  const isAboutGrant = error === 'invalid_grant' || error === 'invalid_user' || INVALID_GRANTS.includes(description);
  if (!isAboutGrant) return error;
  return isKnown ? 'invalid_grant' : 'invalid_client';
}

/** Within this time the log repeats no reason of an outage. */
const REPORT_AGAIN_MS = 60_000;

/** OAuth's form of errors (RFC 6749, 5.2): clients read its code. */
export function refuseAsOAuth(routes: FastifyInstance, publicUrl: string): void {
  const reported = new ReportedReasons({ againMs: REPORT_AGAIN_MS });
  const contextOf = ({ id: requestId }: FastifyRequest) => ({ requestId, baseUrl: publicUrl, errors: API_ERRORS });
  routes.setErrorHandler((error: unknown, request, reply) =>
    sendError(error, request, { reply, contextOf, reported, bodyOf }),
  );
}

function bodyOf(error: HttpError | RequestInvalid): string {
  const status = error instanceof HttpError ? error.status : 422;
  // The reason of an outage is for the log.
  const description = status === 503 ? 'The service is temporarily unavailable; try again in a moment' : error.message;
  return JSON.stringify({ error: codeOfStatus(status), error_description: description });
}

/** `temporarily_unavailable` makes clients keep their tokens; other server errors may ask users again. */
function codeOfStatus(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}
