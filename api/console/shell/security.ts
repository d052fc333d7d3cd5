/** What every answer of the console says to browsers (specification "Console"). */

/** No script and no style but our own files: what slips into a page as text can do nothing there. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export const PAGE_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Frame-Options': 'DENY',
  // Forms must say where they come from, which `no-referrer` would keep them from.
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Cache-Control': 'no-store',
  Vary: 'Cookie',
} as const;

/**
 * True where a browser says that a form comes from another site's page. What sends neither header is no browser of today; its
 * token is checked all the same.
 */
export function isFromElsewhere(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ownOrigin: string,
): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && origin !== ownOrigin;
}
