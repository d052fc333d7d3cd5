/**
 * Apps whose addresses to return to begin with a scheme of their own that is no name turned around, such as `com.example.app`. The
 * provider takes only those (RFC 8252, 7.1), since anybody could claim the others; these apps are known by theirs. A list, not a rule:
 * schemes open whatever program a machine has for them.
 */
const APP_SCHEMES: readonly string[] = ['cursor:', 'vscode:', 'vscode-insiders:'];

/** What an app returns to: its scheme, a place in it, and nothing that could be meant for another program. */
const FORM = /^[a-z-]+:\/\/[\w.-]+(?:\/[\w.-]+)*$/;

/** Stands for addresses that the provider does not take, while it makes the registration. */
export const PLACEHOLDER = 'org.modelstats.placeholder:/none';

/** True for an address of one of the apps that are known. */
export function isAppRedirect(redirect: unknown): boolean {
  if (typeof redirect !== 'string' || !FORM.test(redirect)) return false;
  return APP_SCHEMES.some((scheme) => redirect.startsWith(scheme));
}
