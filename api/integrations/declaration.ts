import { z } from 'zod';
import { AppError } from '../../runtime/errors.ts';
import { quotaDayAt } from '../accounts/limits/quota.ts';
import type { IntegrationRow, Transaction } from '../database/tables/tables.ts';
import { INTEGRATIONS_MAX } from './integration.ts';
import { describeSharedHost, registrableDomain, SHARED_HOSTS, siteOf } from './site.ts';

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

/**
 * What is declared, its address as it will be requested. Throws `usage` with all that is wrong, a problem a line.
 * @param publicUrl of the service, whose own site nobody declares
 */
export function parseDeclaration(
  wanted: NewIntegration,
  { findUrlProblem, publicUrl }: { readonly findUrlProblem: FindUrlProblem; readonly publicUrl: string },
) {
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

/** Pages that an organization declares in a UTC day, whatever becomes of them: each is looked at. */
const DECLARED_PER_DAY_MAX = 30;
/** Checks that an organization asks for in a UTC day, and the time between two of one integration. */
const ASKED_PER_DAY_MAX = 30;
const ASKED_EVERY_MS = 60_000;
/** Checks under way in one process because somebody asked for them, whoever asks: each may have a thread that reads, beside requests. */
export const ASKED_AT_ONCE_MAX = 4;

/** Looks for whoever asks, so many at once in this process; rejects with `usage` beyond, which is no check of the page. */
export function fewLooksAtOnce<Page, Told>(
  look: (page: Page) => Promise<Told>,
  atOnceMax = ASKED_AT_ONCE_MAX,
): (page: Page) => Promise<Told> {
  let underWay = 0;
  return async (page) => {
    if (underWay >= atOnceMax)
      throw new AppError('usage', 'too many pages are being checked at this moment; ask again in a minute');
    underWay += 1;
    try {
      return await look(page);
    } finally {
      underWay -= 1;
    }
  };
}

/** The organization must be locked by the transaction. */
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
  const kept = rows.filter(({ state }) => state !== 'removed');
  if (kept.some((row) => row.url === url)) throw new AppError('usage', `${url} is declared already`);
  if (kept.length >= INTEGRATIONS_MAX)
    throw new AppError(
      'usage',
      `${organizationId} has ${INTEGRATIONS_MAX} integrations, the most that there may be: remove one`,
    );
  if (rows.filter(({ created_at }) => created_at >= dayStart(now)).length >= DECLARED_PER_DAY_MAX)
    throw new AppError(
      'usage',
      `${organizationId} has declared ${DECLARED_PER_DAY_MAX} pages today; go on tomorrow (UTC)`,
    );
}

/** The organization must be locked by the transaction. */
export async function assertMayAsk(transaction: Transaction, row: IntegrationRow, now: Date): Promise<void> {
  const sinceMs = row.asked_at === null ? Number.POSITIVE_INFINITY : now.getTime() - row.asked_at;
  // A clock that was set back holds nobody up for longer.
  if (sinceMs >= 0 && sinceMs < ASKED_EVERY_MS)
    throw new AppError('usage', `${row.id} was checked less than a minute ago; its page has to be read by others, too`);
  const { asked } = await transaction
    .selectFrom('integrations')
    .select(({ fn }) => fn.sum<number | null>('asked_checks').as('asked'))
    .where('organization_id', '=', row.organization_id)
    .where('asked_at', '>=', dayStart(now))
    .executeTakeFirstOrThrow();
  if (Number(asked ?? 0) < ASKED_PER_DAY_MAX) return;
  throw new AppError(
    'usage',
    `${row.organization_id} has asked for ${ASKED_PER_DAY_MAX} checks today; the daily ones go on`,
  );
}

/** Whether it was on the UTC day of `now`. */
export function isSameDay(atMs: number | null, now: Date): boolean {
  return atMs !== null && atMs >= dayStart(now);
}

function dayStart(now: Date): number {
  return (quotaDayAt(now).resetAt - 86_400) * 1000;
}
