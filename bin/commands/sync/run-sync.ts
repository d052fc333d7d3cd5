import { setTimeout as sleep } from 'node:timers/promises';
import { ModelstatsClient } from '../../../client/client.ts';
import { ClientError, NotInPlanError, QuotaExceededError, UnauthenticatedError } from '../../../client/errors.ts';
import { type CheckResult, checkCopy } from '../../../client/sync/check.ts';
import { mayExist, openCopy, scratchFolderOf, shownPlace } from '../../../client/sync/copies/open-copy.ts';
import type { SyncDeps, SyncResult, SyncStep } from '../../../client/sync/copy.ts';
import { Scratch } from '../../../client/sync/scratch.ts';
import { sync } from '../../../client/sync/sync.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command.ts';
import { clearLine, openBar, paint } from '../../cli/terminal.ts';
import { terminalLine } from '../../cli/terminal-text.ts';
import { clientSettings } from './service-options.ts';

interface SyncOptions {
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly into: string;
  readonly history: boolean | undefined;
  /** Milliseconds; true: {@link WATCH_MS}. */
  readonly watch: number | true | undefined;
  readonly wait: boolean | undefined;
  readonly check: boolean | undefined;
  readonly json: boolean;
}

/** Default of `--watch`. A sync without news costs no unit. */
const WATCH_MS = 5 * 60_000;

/** Specification "Sync". */
export async function runSync(context: CommandContext, options: SyncOptions): Promise<number> {
  if (options.check === true && !mayExist(options.into))
    throw new AppError('usage', `there is no copy at ${options.into}`);
  const steps = showSteps(context);
  const client = openClient(context, options, steps);
  try {
    if (options.check === true)
      return showCheck(context, options, await withCopy(context, { client, steps, options }, checkCopy));
    await syncRepeatedly(context, { client, steps, options });
    return 0;
  } catch (error) {
    throw error instanceof ClientError ? commandError(error) : error;
  } finally {
    steps.stop();
  }
}

interface Work {
  readonly client: ModelstatsClient;
  readonly steps: ShownSteps;
  readonly options: SyncOptions;
}

function openClient(context: CommandContext, options: SyncOptions, steps: ShownSteps): ModelstatsClient {
  return new ModelstatsClient(clientSettings(context, options), {
    onRetry: ({ error: reason, delayMs }) => {
      steps.clear();
      context.log(`${reason.message}; retrying in ${Math.ceil(delayMs / 1000)} s`);
    },
  });
}

/** Opens the copy only during the work, so that others may read it in between. */
async function withCopy<T>(
  { config, clock }: CommandContext,
  { client, steps, options }: Work,
  work: (deps: SyncDeps) => Promise<T>,
): Promise<T> {
  const copy = await openCopy(options.into, { memoryLimit: config.duckdb.memoryLimit, threads: config.duckdb.threads });
  try {
    const scratch = new Scratch(scratchFolderOf(options.into));
    return await work({ client, copy, scratch, clock, onStep: steps.show });
  } finally {
    steps.stop();
    await copy.close();
  }
}

/** Syncs once, or with `--watch` until a signal, which the copy survives. */
async function syncRepeatedly(context: CommandContext, work: Work): Promise<void> {
  const { options } = work;
  const { watch } = options;
  for (let isFirst = true; ; isFirst = false) {
    const result = await syncOnce(context, work);
    if (result !== undefined && (isFirst || result.status !== 'up_to_date')) showResult(context, options, result);
    if (watch === undefined) return;
    await sleep(watch === true ? WATCH_MS : watch);
  }
}

/** Waits for units with `--wait`. Undefined for a failure that may pass, with `--watch`. */
async function syncOnce(context: CommandContext, work: Work): Promise<SyncResult | undefined> {
  const { log, clock } = context;
  const { history = false, wait = false, watch } = work.options;
  for (;;) {
    try {
      return await withCopy(context, work, (deps) => sync({ keepsHistory: history }, deps));
    } catch (error) {
      if (error instanceof QuotaExceededError && (wait || watch !== undefined)) {
        const until = new Date(error.reset_at ?? clock().getTime() + 3_600_000);
        log(`${error.message}; continuing at ${until.toISOString()}`);
        const waitMs = Math.max(1000, until.getTime() - clock().getTime()) + Math.random() * RESET_JITTER_MS;
        await sleep(Math.min(waitMs, WAIT_MS_MAX));
      } else if (watch !== undefined && isTransient(error)) {
        log(`${error.message}; retrying later`);
        return undefined;
      } else {
        throw error;
      }
    }
  }
}

/** Longer than until any midnight. */
const WAIT_MS_MAX = 25 * 3_600_000;

/** Spreads copies that wait for the same midnight. */
const RESET_JITTER_MS = 30_000;

function isTransient(error: unknown): error is ClientError | AppError {
  if (error instanceof AppError) return error.code === 'unavailable' || error.code === 'corrupt';
  return error instanceof ClientError && !isRefused(error);
}

/** A key that doesn't grant the request; retries don't help. */
function isRefused(error: ClientError): boolean {
  return error instanceof UnauthenticatedError || error instanceof NotInPlanError;
}

function showResult({ print, log }: CommandContext, { into, json }: SyncOptions, result: SyncResult): void {
  for (const warning of result.warnings) log(`${paint.yellow('warning')}: ${warning}`);
  if (json) {
    print(JSON.stringify({ ...result, into: shownPlace(into) }));
    return;
  }
  const { status, snapshot_id: snapshot, data_as_of: at, events } = result;
  const texts = { imported: 'was imported', followed: 'followed the feed', up_to_date: 'was up to date' };
  const applied = status === 'followed' ? `, ${events.upsert} upserts and ${events.delete} deletes` : '';
  print(
    `${paint.bold(shownPlace(into))} ${texts[status]}: ${snapshot === null ? 'current data' : `snapshot ${snapshot}`} as of ${at}${applied}`,
  );
}

function showCheck({ print }: CommandContext, { into, json }: SyncOptions, result: CheckResult): number {
  const { ok, snapshot_id: snapshot, differences } = result;
  if (json) print(JSON.stringify({ ...result, into: shownPlace(into) }));
  else if (ok) print(`${paint.bold(shownPlace(into))} equals snapshot ${snapshot}`);
  for (const { dataset, missing, extra, different, problem, records } of json ? [] : differences) {
    print(
      `${paint.bold(dataset)} differs from snapshot ${snapshot}: ${missing} missing, ${extra} extra, ${different} different`,
    );
    for (const { key, copy, snapshot: line } of records.slice(0, SHOWN_MAX)) {
      print(`  ${JSON.stringify(key)}\n    copy:     ${copy ?? 'none'}\n    snapshot: ${line ?? 'none'}`);
    }
    if (records.length > SHOWN_MAX) print(`  … more with --json`);
    if (problem !== null) print(`  stopped: ${problem}`);
  }
  return ok ? 0 : 1;
}

const SHOWN_MAX = 20;

function commandError(error: ClientError): AppError {
  const { request_id: id, reset_at: reset } = error;
  const until =
    error instanceof QuotaExceededError && reset !== undefined ? `; resets at ${reset} (--wait waits for it)` : '';
  const cited = id === undefined ? '' : ` (request ${id})`;
  return new AppError(isRefused(error) ? 'usage' : 'unavailable', `${error.message}${until}${cited}`, { cause: error });
}

interface ShownSteps {
  readonly show: (step: SyncStep) => void;
  readonly clear: () => void;
  readonly stop: () => void;
}

function showSteps({ isTerminal }: Pick<CommandContext, 'isTerminal'>): ShownSteps {
  if (!isTerminal) return { show: () => {}, clear: () => {}, stop: () => {} };
  const bar = openBar('{bar} {percentage} % {what}');
  let current = '';
  return {
    show: (step) => {
      const { what, value, of } = describe(step);
      if (what !== current) bar.start(of, value, { what });
      current = what;
      bar.update(value, { what });
    },
    clear: clearLine,
    stop: () => {
      bar.stop();
      current = '';
    },
  };
}

function describe(step: SyncStep): { readonly what: string; readonly value: number; readonly of: number } {
  switch (step.is) {
    case 'download':
      return { what: `downloading ${step.dataset}`, value: step.bytes, of: step.of };
    case 'import':
      return { what: `importing snapshot ${terminalLine(step.snapshot)}`, value: 0, of: 1 };
    case 'follow':
      return { what: `following the feed to event ${step.of}`, value: step.seq, of: step.of };
    case 'list':
      return { what: `reading the list of ${step.dataset}`, value: step.records, of: step.of };
    case 'check':
      return { what: `checking ${step.dataset}`, value: 0, of: 1 };
  }
}
