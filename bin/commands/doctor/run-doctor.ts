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

/** Longer than each wait within a check. */
const CHECK_TIMEOUT_MS = 15_000;

type DoctorContext = Pick<CommandContext, 'config' | 'env' | 'clock' | 'toolVersion' | 'printResult'>;

/**
 * Runs all checks at once, each in bounded time. Reads only, except for a small object or file that tests writing. Exit
 * code 1 if a check failed.
 */
export async function runDoctor(context: DoctorContext): Promise<number> {
  const findings = await examine(context);
  const isOk = findings.every(({ result }) => result !== 'fail');
  context.printResult({ ok: isOk, checks: findings }, () => describe(findings));
  return isOk ? 0 : 1;
}

/** With wrong settings, only the checks that need none. */
async function examine(context: DoctorContext): Promise<readonly NamedFinding[]> {
  const { env, clock, toolVersion } = context;
  let config: Config;
  try {
    config = context.config;
  } catch (error) {
    if (!isAppError(error, 'configuration')) throw error;
    const advice = 'correct them as docs/configuration.md says; the other checks need them';
    const settings = { check: 'settings', ...fail(error.message.replaceAll('\n', '; '), advice) };
    return [...(await runAll(MACHINE_CHECKS, undefined)), settings];
  }
  const changed = shownSettings(config, env).filter(({ source }) => source !== 'default').length;
  const settings = { check: 'settings', ...ok(`${changed} are set, the others have defaults`) };
  const urgent = withShortTimeouts(config);
  const setup = { config: urgent, env, clock, toolVersion, prerequisites: openPrerequisites(urgent) };
  const [machine, rest] = await Promise.all([runAll(MACHINE_CHECKS, undefined), runAll(CHECKS, setup)]);
  const redact = lineRedactor(unloggedOf(config));
  return [...machine, settings, ...rest].map((found) => ({ ...found, message: redact(found.message) }));
}

type RunCheck<S> = (setup: S) => Promise<Finding | undefined>;

async function runAll<S>(checks: Readonly<Record<string, RunCheck<S>>>, setup: S): Promise<readonly NamedFinding[]> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([check, run]) => ({ check, finding: await runCheck(check, () => run(setup)) })),
  );
  return found.flatMap(({ check, finding }) => (finding === undefined ? [] : [{ check, ...finding }]));
}

async function runCheck(check: string, run: RunCheck<void>): Promise<Finding | undefined> {
  try {
    return await inTime(CHECK_TIMEOUT_MS, run);
  } catch (error) {
    if (error instanceof MissingPrerequisite && error.prerequisite !== check) return skipped(error.prerequisite);
    const cause = error instanceof MissingPrerequisite ? error.cause : error;
    return fail(messageFromError(cause).replaceAll(/\s+/g, ' '), 'fix the problem and run doctor again');
  }
}

function withShortTimeouts(config: Config): Config {
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
  const count = (expected: Finding['result']) => findings.filter(({ result }) => result === expected).length;
  const counts = `${count('ok')} ok, ${count('warn')} with warnings, ${count('fail')} failed`;
  return [...lines, count('skipped') === 0 ? counts : `${counts}, ${count('skipped')} skipped`].join('\n');
}

const MACHINE_CHECKS = { node: checkNode } as const satisfies Readonly<Record<string, () => Promise<Finding>>>;

/** By reported name, in this order. */
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
