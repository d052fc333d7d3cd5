import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describeReason } from '../../../pipeline/night/check/issues.ts';
import { runNight } from '../../../pipeline/night/night.ts';
import type { NightResult } from '../../../pipeline/night/night-result.ts';
import { listSourceDays } from '../../../pipeline/source/source-folder.ts';
import { type Day, dayFromDate } from '../../../runtime/day.ts';
import { ERROR_CODES } from '../../../runtime/errors.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { dayFromOption } from '../../cli/option-values.ts';
import { paint } from '../../cli/paint.ts';
import { showProgress } from '../../cli/progress.ts';
import { nightDeps } from './night-deps.ts';

export interface SourceCheckOptions {
  readonly folder: string;
  readonly day?: string;
  readonly json?: boolean;
}

/**
 * `modelstats source check DIR`: how a source reads, without a store and without a night: a first night of it, of which nothing is
 * kept. What a source lists is fetched for it.
 */
export async function checkSource(context: CommandContext, options: SourceCheckOptions): Promise<number> {
  const source = resolve(options.folder);
  const day =
    options.day === undefined ? await newestDay(source, context.clock()) : dayFromOption(options.day, context.clock());
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-source-'));
  const progress = showProgress(context, { total: 1 });
  try {
    const config = { ...context.config, STORE: `file:${join(folder, 'store')}`, WORK: join(folder, 'work') };
    const deps = await nightDeps(
      { ...context, config },
      { access: 'read', onStage: progress.part, onFile: (file) => progress.part(`fetch ${file}`) },
    );
    progress.next(day);
    const request = { day, source, dryRun: true, accept: true, acceptSuspects: [] };
    const result = await runNight(request, deps);
    progress.clear();
    context.print(options.json ? JSON.stringify(answerOf(source, result)) : describe(source, result));
    return result.status === 'rejected' ? ERROR_CODES.source_rejected.exit : 0;
  } finally {
    progress.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The last of its dated folders; today where it has none. */
async function newestDay(source: string, now: Date): Promise<Day> {
  return (await listSourceDays(source)).at(-1) ?? dayFromDate(now);
}

function answerOf(source: string, { status, day, records, quarantined, problems, warnings, preview }: NightResult) {
  const isOk = status !== 'rejected';
  return { ok: isOk, source, day, records, quarantined, problems, set_aside: preview?.set_aside ?? [], warnings };
}

function describe(source: string, { status, day, records, problems, warnings, preview }: NightResult): string {
  const notes = warnings.map((warning) => `  ${warning}`);
  if (status === 'rejected') {
    return [`${paint.red('rejected')} ${source}, ${day}`, ...problems.map((one) => `  ${one}`), ...notes].join('\n');
  }
  const counts = DATASET_NAMES.map((name) => `${records?.[name] ?? 0} ${name}`).join(', ');
  const aside = (preview?.set_aside ?? []).map((reason) => `  ${reason.dataset}: ${describeReason(reason)}`);
  return [`${paint.green('can be published')} ${source}, ${day}: ${counts}`, ...notes, ...aside].join('\n');
}
