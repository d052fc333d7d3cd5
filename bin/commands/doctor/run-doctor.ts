import { isAppError, messageFromError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command.ts';
import { lineRedactor, unloggedOf } from '../../cli/logger.ts';
import { paint } from '../../cli/terminal.ts';
import type { Config } from '../../config/config.ts';
import { shownSettings } from '../../config/shown-settings.ts';
import {
  type Check,
  type Finding,
  fail,
  inTime,
  MissingPrerequisite,
  ok,
  openPrerequisites,
  skipped,
} from './check.ts';
import { checkDescriptors, checkDuckDB, checkNode, checkViewFolder, checkWorkFolder } from './machine.ts';
import { checkDatabase, checkMail, checkRedis, checkSecretKeys } from './services.ts';
import { checkAddresses, checkMetrics, checkPort, checkSchedule, checkSource } from './setup.ts';
import { checkStore, checkStoreClock, checkStoreWrites } from './store.ts';

interface NamedFinding extends Finding {
  readonly check: string;
}

/** Longer than all that a check waits for by itself; beyond it the check has failed. */
const CHECK_TIMEOUT_MS = 15_000;

type DoctorContext = Pick<CommandContext, 'config' | 'env' | 'clock' | 'toolVersion' | 'answer'>;

/**
 * Checks all that a new machine or a broken one needs, side by side, each in bounded time. It only reads, but for one small object or
 * file that shows whether the store and our folders can be written. Exit code 1 where something failed.
 */
export async function runDoctor(context: DoctorContext): Promise<number> {
  const findings = await examine(context);
  const isOk = findings.every(({ result }) => result !== 'fail');
  context.answer({ ok: isOk, checks: findings }, () => describe(findings));
  return isOk ? 0 : 1;
}

/** What was found out. With wrong settings that is all, beside what needs none. */
async function examine(context: DoctorContext): Promise<readonly NamedFinding[]> {
  const { env, clock, toolVersion } = context;
  let config: Config;
  try {
    config = context.config;
  } catch (error) {
    if (!isAppError(error, 'configuration')) throw error;
    const advice = 'set them right, as docs/configuration.md says; the other checks need them';
    const settings = { check: 'settings', ...fail(error.message.replaceAll('\n', '; '), advice) };
    return [...(await runAll(MACHINE_CHECKS, undefined)), settings];
  }
  const changed = shownSettings(config, env).filter(({ source }) => source !== 'default').length;
  const settings = { check: 'settings', ...ok(`${changed} are set, the others have their defaults`) };
  const hurried = inHurry(config);
  const setup = { config: hurried, env, clock, toolVersion, prerequisites: openPrerequisites(hurried) };
  const [machine, rest] = await Promise.all([runAll(MACHINE_CHECKS, undefined), runAll(CHECKS, setup)]);
  const redact = lineRedactor(unloggedOf(config));
  return [...machine, settings, ...rest].map((found) => ({ ...found, message: redact(found.message) }));
}

type Look<S> = (setup: S) => Promise<Finding | undefined>;

async function runAll<S>(checks: Readonly<Record<string, Look<S>>>, setup: S): Promise<readonly NamedFinding[]> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([check, look]) => ({ check, finding: await runCheck(check, () => look(setup)) })),
  );
  return found.flatMap(({ check, finding }) => (finding === undefined ? [] : [{ check, ...finding }]));
}

async function runCheck(check: string, look: Look<void>): Promise<Finding | undefined> {
  try {
    return await inTime(CHECK_TIMEOUT_MS, look);
  } catch (error) {
    if (error instanceof MissingPrerequisite && error.prerequisite !== check) return skipped(error.prerequisite);
    const cause = error instanceof MissingPrerequisite ? error.cause : error;
    return fail(messageFromError(cause).replaceAll(/\s+/g, ' '), 'mend what the message names, and look again');
  }
}

/** The configuration, with less patience where a night would wait long. */
function inHurry(config: Config): Config {
  const { s3, database, mail } = config;
  return {
    ...config,
    s3: {
      ...s3,
      attemptsMax: 1,
      connectTimeoutMs: Math.min(s3.connectTimeoutMs, 3_000),
      requestTimeoutMs: Math.min(s3.requestTimeoutMs, 5_000),
      idleTimeoutMs: Math.min(s3.idleTimeoutMs, 5_000),
    },
    database: { ...database, connectTimeoutMs: Math.min(database.connectTimeoutMs, 5_000) },
    mail: { ...mail, timeoutMs: Math.min(mail.timeoutMs, 5_000) },
  };
}

const MARKS = {
  ok: paint.green('ok  '),
  warn: paint.yellow('warn'),
  fail: paint.red('FAIL'),
  skipped: paint.dim('skip'),
} as const;

function describe(findings: readonly NamedFinding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, result, message, advice }) => [
    `${MARKS[result]}  ${check.padEnd(width)}  ${message}`,
    ...(advice === null ? [] : [`${' '.repeat(width + 8)}→ ${advice}`]),
  ]);
  const count = (wanted: Finding['result']) => findings.filter(({ result }) => result === wanted).length;
  const counts = `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed`;
  return [...lines, count('skipped') === 0 ? counts : `${counts}, ${count('skipped')} skipped`].join('\n');
}

/** What needs no settings. */
const MACHINE_CHECKS = { node: checkNode } as const satisfies Readonly<Record<string, () => Promise<Finding>>>;

/** Everything else that is checked, under the name that it is told by, in this order. */
const CHECKS = {
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
