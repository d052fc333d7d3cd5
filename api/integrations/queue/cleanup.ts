import { type Kysely, sql } from 'kysely';
import type { BaseLogger } from 'pino';
import { HourlyCleanup } from '../../database/hourly-cleanup.ts';
import type { ControlTables } from '../../database/tables/tables.ts';

/** For how long checks are kept, and how many of an integration at most (specification "Checks of pages"). */
const CHECKS_KEPT_DAYS = 90;
const CHECKS_KEPT_MAX = 200;

const DAY_MS = 86_400_000;
/** Checks removed at once: more keep other writers waiting longer. */
const ROWS_AT_ONCE = 500;

/** Removes checks that are older than they are kept, and those of an integration beyond the newest. */
export function checkCleanup(
  database: Kysely<ControlTables>,
  log: Pick<BaseLogger, 'warn'>,
  { rowsAtOnce = ROWS_AT_ONCE }: { readonly rowsAtOnce?: number } = {},
): HourlyCleanup {
  const stepsAt = (now: Date) => [
    () => deleteOld(database, now.getTime() - CHECKS_KEPT_DAYS * DAY_MS, rowsAtOnce),
    () => deleteMany(database, rowsAtOnce),
  ];
  const failure = 'checks of integrations of days gone by could not be removed';
  return new HourlyCleanup(stepsAt, { rowsAtOnce, log, failure });
}

async function deleteOld(database: Kysely<ControlTables>, beforeMs: number, rowsAtOnce: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('integration_checks')
    .where('id', 'in', (query) =>
      query.selectFrom('integration_checks').select('id').where('checked_at', '<', beforeMs).limit(rowsAtOnce),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Ids sort by time, so what is before the oldest that is kept can go. */
async function deleteMany(database: Kysely<ControlTables>, rowsAtOnce: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from integration_checks where id in (
      select c.id from (
        select i.id, (select k.id from integration_checks k where k.integration_id = i.id
                      order by k.id desc limit 1 offset ${CHECKS_KEPT_MAX - 1}) as oldest
        from integrations i
      ) kept
      join integration_checks c on c.integration_id = kept.id and c.id < kept.oldest
      limit ${rowsAtOnce}
    )`.execute(database);
  return Number(numAffectedRows ?? 0);
}
