import { z } from 'zod';
import { AppError } from '../../runtime/errors.ts';
import { quotaDayAt } from '../accounts/limits/quota.ts';
import type { IntegrationRow, Transaction } from '../database/tables/tables.ts';
import { INTEGRATIONS_MAX } from './integration.ts';
import { describeSharedHost, registrableDomain, SHARED_HOSTS, siteOf } from './site.ts';

/** Why a request to an address would be refused; undefined if it wouldn't. */
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

/** A declared page (specification "Declared pages"). */
export type NewIntegration = Readonly<z.input<typeof DeclarationSchema>>;

/**
 * Normalises the URL. Throws `usage` with all problems, one per line.
 * @param publicUrl of the service, whose own site can't be declared
 */
export function parseDeclaration(
  input: NewIntegration,
  { findUrlProblem, publicUrl }: { readonly findUrlProblem: FindUrlProblem; readonly publicUrl: string },
) {
  const parsed = DeclarationSchema.safeParse(input);
  const page = readPage(parsed.data?.url ?? String(input.url).trim(), { findUrlProblem, publicUrl });
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
  url.hostname = url.hostname.replace(/\.$/, ''); // The trailing dot names the same host.
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
    ? `${hostname} is not a registered domain name`
    : describeSharedHost(domain, shared);
}

/** Per organization and UTC day, removed ones included: each is checked. */
const DECLARED_PER_DAY_MAX = 30;
/** Per organization and UTC day, and the interval per integration. */
const REQUESTED_PER_DAY_MAX = 30;
const REQUEST_INTERVAL_MS = 60_000;
/** Requested checks per process; each may have a parser thread besides the requests. */
export const REQUESTED_AT_ONCE_MAX = 4;

/** Rejects with `usage` above the limit, which doesn't count as a failed check. */
export function limitConcurrency<Page, Result>(
  checkPage: (page: Page) => Promise<Result>,
  atOnceMax = REQUESTED_AT_ONCE_MAX,
): (page: Page) => Promise<Result> {
  let underWay = 0;
  return async (page) => {
    if (underWay >= atOnceMax) throw new AppError('usage', 'too many pages are being checked; try again in a minute');
    underWay += 1;
    try {
      return await checkPage(page);
    } finally {
      underWay -= 1;
    }
  };
}

/** Requires the organization's lock. */
export async function assertRoom(
  transaction: Transaction,
  { organizationId, url, now }: { readonly organizationId: string; readonly url: string; readonly now: Date },
): Promise<void> {
  const rows = await transaction
    .selectFrom('integrations')
    .select(['url', 'state', 'created_at'])
    .where('organization_id', '=', organizationId)
    .where(({ or, eb }) => or([eb('state', '<>', 'removed'), eb('created_at', '>=', dayStart(now))]))
    .execute();
  const existing = rows.filter(({ state }) => state !== 'removed');
  if (existing.some((row) => row.url === url)) throw new AppError('usage', `${url} is already declared`);
  if (existing.length >= INTEGRATIONS_MAX)
    throw new AppError(
      'usage',
      `${organizationId} has ${INTEGRATIONS_MAX} integrations, the maximum: remove one first`,
    );
  if (rows.filter(({ created_at }) => created_at >= dayStart(now)).length >= DECLARED_PER_DAY_MAX)
    throw new AppError(
      'usage',
      `${organizationId} has declared ${DECLARED_PER_DAY_MAX} pages today, the maximum; try again tomorrow (UTC)`,
    );
}

/** Requires the organization's lock. */
export async function assertMayRequestCheck(transaction: Transaction, row: IntegrationRow, now: Date): Promise<void> {
  const sinceMs = row.asked_at === null ? Number.POSITIVE_INFINITY : now.getTime() - row.asked_at;
  // Negative if the clock was set back.
  if (sinceMs >= 0 && sinceMs < REQUEST_INTERVAL_MS)
    throw new AppError('usage', `${row.id} was checked less than a minute ago; try again in a minute`);
  const { asked } = await transaction
    .selectFrom('integrations')
    .select(({ fn }) => fn.sum<number | null>('asked_checks').as('asked'))
    .where('organization_id', '=', row.organization_id)
    .where('asked_at', '>=', dayStart(now))
    .executeTakeFirstOrThrow();
  if (Number(asked ?? 0) < REQUESTED_PER_DAY_MAX) return;
  throw new AppError(
    'usage',
    `${row.organization_id} has requested ${REQUESTED_PER_DAY_MAX} checks today, the maximum; the daily checks continue`,
  );
}

export function isSameDay(atMs: number | null, now: Date): boolean {
  return atMs !== null && atMs >= dayStart(now);
}

function dayStart(now: Date): number {
  return (quotaDayAt(now).resetAt - 86_400) * 1000;
}
