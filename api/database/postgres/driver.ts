import pg from 'pg';
import { findSystemUser } from '../../../runtime/system-user.ts';

/**
 * PostgreSQL's driver. An address without a user means to it what it means to psql: `PGUSER`, else the user of the operating system. By
 * itself it would look at `USER`, which cron, systemd and containers don't set.
 */
pg.defaults.user = findSystemUser() ?? pg.defaults.user;

export { pg };
