import type { ColumnType } from 'kysely';

/**
 * An instant as better-auth keeps it. PostgreSQL gives a Date, SQLite ISO text in UTC with milliseconds, which sorts by time; both take
 * that text, so it is what is written and compared with.
 */
export type StoredInstant = ColumnType<Date | string, string, string>;
