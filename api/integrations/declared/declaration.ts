import { z } from 'zod';
import { AppError } from '../../../runtime/errors.ts';
import { describeSharedHost, SHARED_HOSTS } from './shared-hosts.ts';
import { registrableDomain, siteOf } from './site.ts';

/** Says why a request to an address would be refused before anything is sent; undefined where it would not be. */
export type FindUrlProblem = (url: string) => string | undefined;

const NAME_CHARACTERS_MAX = 100;

const DeclarationSchema = z.object({
  organizationId: z.string(),
  name: z
    .string()
    .trim()
    .refine((text) => text !== '' && [...text].length <= NAME_CHARACTERS_MAX && !/\p{Cc}/u.test(text), {
      error: `must be one line of 1 to ${NAME_CHARACTERS_MAX} characters`,
    }),
  url: z.string().trim(),
});

/** What an organization declares (specification "Declared pages"). */
export type NewIntegration = Readonly<z.input<typeof DeclarationSchema>>;

export interface Declaration {
  readonly organizationId: string;
  readonly name: string;
  readonly url: string;
  /** The site that it lies on. */
  readonly domain: string;
}

/**
 * What is declared, its address as it will be requested. Throws `usage` with all that is wrong, a problem a line.
 * @param publicUrl of the service, whose own site nobody declares
 */
export function parseDeclaration(
  wanted: NewIntegration,
  { findUrlProblem, publicUrl }: { readonly findUrlProblem: FindUrlProblem; readonly publicUrl: string },
): Declaration {
  const parsed = DeclarationSchema.safeParse(wanted);
  const page = readPage(parsed.data?.url ?? String(wanted.url).trim(), { findUrlProblem, publicUrl });
  const problems = [
    ...('problem' in page ? [`the address of the page: ${page.problem}`] : []),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
  ];
  if (problems.length > 0 || parsed.data === undefined || 'problem' in page)
    throw new AppError('usage', problems.join('\n'));
  const { organizationId, name } = parsed.data;
  return { organizationId, name, url: page.url, domain: page.domain };
}

function readPage(
  text: string,
  { findUrlProblem, publicUrl }: { readonly findUrlProblem: FindUrlProblem; readonly publicUrl: string },
): { readonly url: string; readonly domain: string } | { readonly problem: string } {
  const problem = findUrlProblem(text);
  if (problem !== undefined) return { problem };
  const url = new URL(text);
  url.hash = ''; // Never sent.
  url.hostname = url.hostname.replace(/\.$/, ''); // The same host.
  const domain = siteOf(url);
  if (domain === undefined) return { problem: whyNoSite(url) };
  const own = new URL(publicUrl);
  if (domain === (siteOf(own) ?? own.hostname)) return { problem: `${domain} is the site of this service itself` };
  return { url: url.href, domain };
}

function whyNoSite({ hostname }: URL): string {
  const domain = registrableDomain(hostname);
  const shared = SHARED_HOSTS.get(domain ?? '');
  return domain === undefined || shared === undefined
    ? `${hostname} is no name that somebody can have registered`
    : describeSharedHost(domain, shared);
}
