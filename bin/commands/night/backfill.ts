import { resolve } from 'node:path';
import type { BackfillResult, BackfillStatus } from '../../../pipeline/backfill/backfill.ts';
import { backfillPricing } from '../../../pipeline/backfill/backfill.ts';
import { isDay } from '../../../runtime/day.ts';
import { AppError, ERROR_CODES } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { paint } from '../../cli/paint.ts';
import { showProgress } from '../../cli/progress.ts';
import { noteStoreAction } from '../../config/accounts/configured-accounts.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import { configuredLimits } from '../../config/night/configured-limits.ts';
import { openUpkeep } from '../store/open-upkeep.ts';

export interface BackfillOptions {
  readonly table: string;
  readonly from?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const EXIT_CODES: Readonly<Record<BackfillStatus, number>> = {
  published: 0,
  dry_run: 0,
  unchanged: 0,
  nothing_placed: ERROR_CODES.source_rejected.exit,
};

/** `modelstats backfill pricing`: reconstructs prices of the days before the first night (specification "Pricing backfill"). */
export async function backfill(context: CommandContext, options: BackfillOptions): Promise<number> {
  const { config, print, log } = context;
  const { table, from = null, dryRun = false, json = false } = options;
  if (from !== null && !isDay(from)) throw new AppError('usage', `--from ${from} is not a calendar day YYYY-MM-DD`);
  const store = await openConfiguredStore(config, 'write');
  const details = { table: resolve(table), from };
  if (!dryRun) await noteStoreAction(context, { action: 'store.backfill_pricing', store: store.url, details });
  const progress = showProgress(context, { total: 1 });
  progress.next('backfill');
  const result = await backfillPricing(
    { table: resolve(table), from, dryRun },
    {
      ...(await openUpkeep(context)),
      store,
      limits: configuredLimits(config),
      onStage: progress.part,
    },
  ).finally(progress.stop);
  print(json ? JSON.stringify(result) : describe(result));
  for (const warning of json ? [] : result.warnings) log(warning);
  return EXIT_CODES[result.status];
}

function describe(result: BackfillResult): string {
  const { rows, rows_placed, intervals, models, first_day, last_day, not_placed, replaced, issues } = result;
  const days = first_day === null ? '' : `, ${first_day} to ${last_day}`;
  const reasons = Object.entries(not_placed).map(([reason, count]) => `${count} ${reason}`);
  return [
    `${headline(result)}: ${intervals} intervals of ${models} models${days}`,
    `${rows_placed} of ${rows} rows placed${reasons.length === 0 ? '' : `; not placed: ${reasons.join(', ')}`}`,
    ...(replaced === null ? [] : [`it replaces ${replaced}, whose object is left to prune`]),
    ...(reasons.length === 0 ? [] : [`details: ${issues}`]),
  ].join('\n');
}

function headline({ status }: BackfillResult): string {
  switch (status) {
    case 'published':
      return paint.green('published');
    case 'dry_run':
      return paint.green('would publish');
    case 'unchanged':
      return paint.dim('unchanged');
    case 'nothing_placed':
      return paint.red('nothing placed, nothing changed');
  }
}
