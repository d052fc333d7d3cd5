import { z } from 'zod';
import { inUnits, Milliseconds, setting, wholeNumber } from '../../runtime/setting.ts';

export const POSTGRES_OPTIONS = {
  /** Per process: one writes usage, the others look up keys and serve operators. */
  connectionsMax: 10,
  /** Including the wait for a free connection. */
  connectTimeoutMs: 2_000,
  statementTimeoutMs: 2_000,
};
export type PostgresOptions = Readonly<typeof POSTGRES_OPTIONS>;

export const DATABASE_SETTINGS = {
  url: setting('DATABASE', z.string(), {
    fallback: 'sqlite:./data/accounts.db',
    text: 'the control database: `sqlite:PATH`, `postgres://user:password@host/name`, or through the local socket `postgres:///name?host=/var/run/postgresql`. The default user is `PGUSER`, else the user of the operating system, as for psql',
    shown: 'address',
  }),
  connectionsMax: setting('DATABASE_CONNECTIONS_MAX', wholeNumber(1, 200), {
    fallback: POSTGRES_OPTIONS.connectionsMax,
    text: "PostgreSQL's connections per process",
  }),
  connectTimeoutMs: setting('DATABASE_CONNECT_TIMEOUT_MS', Milliseconds, {
    fallback: POSTGRES_OPTIONS.connectTimeoutMs,
    text: 'longest time to connect to PostgreSQL',
  }),
  statementTimeoutMs: setting('DATABASE_TIMEOUT_MS', Milliseconds, {
    fallback: POSTGRES_OPTIONS.statementTimeoutMs,
    text: "longest statement on PostgreSQL, and longest wait for another process's write to SQLite",
  }),
  probeMs: setting('DATABASE_PROBE_SECONDS', inUnits(wholeNumber(1, 3_600), 1000), {
    fallback: 10,
    text: 'time between two checks that the control database responds and, after a failure, can be written',
  }),
};
