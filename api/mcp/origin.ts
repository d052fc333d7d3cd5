import { isThisMachine } from '../server/urls.ts';

/**
 * Whether a page may send messages: requests without `Origin` come from no page. With a public URL it is that of the URL; without one
 * a page of this machine, since a name that an attacker lets point here would be in `Host` and `Origin` alike.
 */
export function isOwnOrigin(origin: string | undefined, publicUrl: string | undefined): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  if (publicUrl !== undefined) return new URL(origin).origin === new URL(publicUrl).origin;
  return isThisMachine(new URL(origin));
}
