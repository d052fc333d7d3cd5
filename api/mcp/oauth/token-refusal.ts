/** What the provider refuses at its token endpoint, with the codes of RFC 6749, 5.2 and RFC 7636, 4.6. */

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

/** The provider's refusal as programs can go by it: the code, and 400, or 401 where the program itself is refused by its header. */
export function tokenRefusal(
  { error, error_description }: { readonly error: string; readonly error_description: string },
  { hasHeader, isKnown }: RefusedClient,
) {
  const code = codeOf(error, error_description, isKnown);
  const isChallenged = hasHeader && code === 'invalid_client';
  return {
    status: isChallenged ? 401 : 400,
    headers: isChallenged ? { 'WWW-Authenticate': 'Basic realm="modelstats"' } : {},
    body: { error: code, error_description: error_description.replaceAll(NOT_DESCRIBING, '?') },
  };
}

/** An unknown program is told so whatever else is wrong: it registers anew, where it would only ask its user again. */
function codeOf(error: string, description: string, isKnown: boolean): string {
  const isAboutGrant = error === 'invalid_grant' || error === 'invalid_user' || INVALID_GRANTS.includes(description);
  if (!isAboutGrant) return error;
  return isKnown ? 'invalid_grant' : 'invalid_client';
}
