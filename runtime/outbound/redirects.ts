import type { Exchanged } from './exchange.ts';
import { OutboundFault } from './outbound-fault.ts';

export interface OutboundRedirects {
  readonly max: number;
  /** Asked for each, before it is followed. */
  readonly isAllowed: (from: URL, to: URL) => boolean;
}

/** Statuses of a redirect that a GET follows. */
export const FOLLOWED = [301, 302, 303, 307, 308];

export function isRedirect({ status }: Exchanged): boolean {
  return status >= 300 && status < 400;
}

/**
 * Where an answer redirects to, not checked yet, or why nobody goes there. A POST is never sent on: it was meant for the address that
 * was registered and verified.
 */
export function redirectTarget(
  { status, headers }: Exchanged,
  {
    request,
    url,
    redirects,
  }: {
    readonly request: { readonly method: string; readonly redirects?: OutboundRedirects | undefined };
    readonly url: URL;
    /** Followed so far. */
    readonly redirects: number;
  },
): string | OutboundFault {
  const { max, isAllowed } = request.redirects ?? { max: 0, isAllowed: () => false };
  const refused = (why: string) => new OutboundFault('redirect', `${url.host} ${why}`);
  if (max === 0 || request.method !== 'GET') return refused(`redirects (${status}), which is not followed`);
  const { location } = headers;
  const target = typeof location === 'string' ? URL.parse(location, url.href) : null;
  if (target === null || !FOLLOWED.includes(status)) return refused(`redirects (${status}) to nowhere`);
  if (redirects >= max) return refused(`redirects once more after ${max} redirects`);
  return isAllowed(url, target) ? target.href : refused(`redirects to ${target.host}, which is not allowed`);
}
