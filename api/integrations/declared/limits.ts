import type { Transaction } from 'kysely';
import { AppError } from '../../../runtime/errors.ts';
import { quotaDayAt } from '../../accounts/quota/quota-day.ts';
import type { ControlTables, IntegrationRow } from '../../database/tables/tables.ts';
import { INTEGRATIONS_MAX } from '../integration.ts';

/** Pages that an organization declares in a UTC day, whatever becomes of them: each is looked at. */
export const DECLARED_PER_DAY_MAX = 30;
/** Checks that an organization asks for in a UTC day, and the time between two of one integration. */
export const ASKED_PER_DAY_MAX = 30;
export const ASKED_EVERY_MS = 60_000;
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
  transaction: Transaction<ControlTables>,
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
export async function assertMayAsk(
  transaction: Transaction<ControlTables>,
  row: IntegrationRow,
  now: Date,
): Promise<void> {
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
