import { isAppError, messageFromError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { lineRedactor } from '../../cli/logger.ts';
import { paint } from '../../cli/paint.ts';
import type { Config } from '../../config/config.ts';
import { shownSettings } from '../config/shown-settings.ts';
import { CHECKS, MACHINE_CHECKS } from './checks.ts';
import { type Finding, fail, ok, skipped } from './finding.ts';
import { groundsOf, MissingGround } from './grounds/grounds.ts';
import { inTime } from './grounds/in-time.ts';

export interface NamedFinding extends Finding {
  readonly check: string;
}

/** Longer than all that a check waits for by itself; beyond it the check has failed. */
const CHECK_TIMEOUT_MS = 15_000;

/**
 * `modelstats doctor`: all that a new machine or a broken one needs checked, side by side, each in bounded time. It only reads, but for
 * one small object or file that shows whether the store and our folders can be written. Exit code 1 where something failed.
 */
export async function doctor(context: CommandContext, { json = false }: { readonly json?: boolean }): Promise<number> {
  const findings = await examine(context);
  const isOk = findings.every(({ result }) => result !== 'fail');
  context.print(json ? JSON.stringify({ ok: isOk, checks: findings }) : describe(findings));
  return isOk ? 0 : 1;
}

/** What was found out. With wrong settings that is all, beside what needs none. */
async function examine(context: CommandContext): Promise<readonly NamedFinding[]> {
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
  const setup = { config: hurried, env, clock, toolVersion, grounds: groundsOf(hurried) };
  const [machine, rest] = await Promise.all([runAll(MACHINE_CHECKS, undefined), runAll(CHECKS, setup)]);
  const redact = lineRedactor(config);
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
    if (error instanceof MissingGround && error.ground !== check) return skipped(error.ground);
    const cause = error instanceof MissingGround ? error.cause : error;
    return fail(messageFromError(cause).replaceAll(/\s+/g, ' '), 'mend what the message names, and look again');
  }
}

/** The configuration, with less patience where a night would wait long. */
function inHurry(config: Config): Config {
  return {
    ...config,
    S3_ATTEMPTS_MAX: 1,
    S3_CONNECT_TIMEOUT_MS: Math.min(config.S3_CONNECT_TIMEOUT_MS, 3_000),
    S3_REQUEST_TIMEOUT_MS: Math.min(config.S3_REQUEST_TIMEOUT_MS, 5_000),
    S3_IDLE_TIMEOUT_MS: Math.min(config.S3_IDLE_TIMEOUT_MS, 5_000),
    DATABASE_CONNECT_TIMEOUT_MS: Math.min(config.DATABASE_CONNECT_TIMEOUT_MS, 5_000),
    MAIL_TIMEOUT_MS: Math.min(config.MAIL_TIMEOUT_MS, 5_000),
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
