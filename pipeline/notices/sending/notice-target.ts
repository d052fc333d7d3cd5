import { createHash } from 'node:crypto';

/** Where notices go. */
export type NoticeTarget =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'mail'; readonly to: string }
  | { readonly kind: 'exec'; readonly program: string; readonly args: readonly string[] };

/** More are a mistake, such as a text in the wrong variable. */
export const TARGETS_MAX = 10;

/** As careful as a mail server needs it: one @, no white space, nothing that begins another recipient or header. */
const MAIL = /^[^\s@,;:<>()"'\\]+@[^\s@,;:<>()"'\\]+$/;

export const TARGET_FORMS = 'https://…, http://…, mailto:name@host, or exec:/path/of/a/program with its arguments';

/** Reads one target; undefined where it is none of {@link TARGET_FORMS}. */
export function parseTarget(text: string): NoticeTarget | undefined {
  const words = text.trim();
  if (/^https?:\/\//i.test(words)) return URL.canParse(words) ? { kind: 'url', url: words } : undefined;
  if (words.startsWith('exec:')) {
    const [program = '', ...args] = words.slice('exec:'.length).trim().split(/\s+/);
    // By its whole path: which program runs must not depend on the PATH that a service happens to have.
    return program.startsWith('/') ? { kind: 'exec', program, args } : undefined;
  }
  const to = words.replace(/^mailto:/i, '');
  return MAIL.test(to) ? { kind: 'mail', to } : undefined;
}

/** A target as logs and answers may have it: of a URL its host alone, for its path and query often are the secret. */
export function shownTarget(target: NoticeTarget): string {
  switch (target.kind) {
    case 'url':
      return `${new URL(target.url).origin}/…`;
    case 'mail':
      return `mailto:${target.to}`;
    case 'exec':
      return `exec:${target.program}`;
  }
}

/** What a target is remembered by, from which nobody gets it back. */
export function targetKey(target: NoticeTarget): string {
  return createHash('sha256').update(JSON.stringify(target)).digest('hex').slice(0, 16);
}
