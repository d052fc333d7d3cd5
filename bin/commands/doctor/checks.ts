import type { Check, Finding } from './finding.ts';
import { checkDescriptors } from './machine/descriptors.ts';
import { checkDuckDB } from './machine/duckdb.ts';
import { checkViewFolder, checkWorkFolder } from './machine/folders.ts';
import { checkNode } from './machine/node.ts';
import { checkDatabase } from './services/database.ts';
import { checkMail } from './services/mail.ts';
import { checkRedis } from './services/redis.ts';
import { checkSecretKeys } from './services/secret-keys.ts';
import { checkStore, checkStoreWrites } from './services/store.ts';
import { checkStoreClock } from './services/store-clock.ts';
import { checkAddresses } from './setup/addresses.ts';
import { checkMetrics } from './setup/metrics.ts';
import { checkPort } from './setup/ports.ts';
import { checkSchedule } from './setup/schedule.ts';
import { checkSource } from './setup/source.ts';

/** What needs no settings. */
export const MACHINE_CHECKS = { node: checkNode } as const satisfies Readonly<Record<string, () => Promise<Finding>>>;

/** Everything else that is checked, under the name that it is told by, in this order. */
export const CHECKS = {
  duckdb: checkDuckDB,
  work_folder: checkWorkFolder,
  source: checkSource,
  store: checkStore,
  store_writes: checkStoreWrites,
  store_clock: checkStoreClock,
  schedule: checkSchedule,
  database: checkDatabase,
  secret_keys: checkSecretKeys,
  redis: checkRedis,
  mail: checkMail,
  view_folder: checkViewFolder,
  port: checkPort,
  addresses: checkAddresses,
  descriptors: checkDescriptors,
  metrics: checkMetrics,
} as const satisfies Readonly<Record<string, Check>>;
