import { resolve } from 'node:path';
import type { BackfillResult, BackfillStatus } from '../../../pipeline/backfill/backfill.ts';
import { isDay } from '../../../runtime/day.ts';
import { AppError, ERROR_CODES } from '../../../runtime/errors.ts';
import { type CommandContext, commandGroup, defineCommand, flag, option, required } from '../../cli/command.ts';
import { recordStoreAction } from '../../config/configured-accounts.ts';
import { openConfiguredStore, openUpkeep } from '../../config/configured-store.ts';

const EXIT_CODES: Readonly<Record<BackfillStatus, number>> = {
  published: 0,
  dry_run: 0,
  unchanged: 0,
  nothing_placed: ERROR_CODES.source_rejected.exit,
};

/** Specification "Pricing backfill". */
const pricing = defineCommand({
  name: 'pricing',
  description: 'Reconstruct prices before the first captured day from a table; a second run replaces the first',
  options: {
    table: required('<file>', 'JSON Lines, JSON, CSV (each also .gz) or Parquet, a row per price and range of days'),
    from: option('<YYYY-MM-DD>', 'first day to reconstruct; also the start of prices whose start is unknown'),
    dryRun: flag('do everything except publishing'),
  },
  examples: ['modelstats backfill pricing --table prices.csv --from 2025-01-01'],
  notes: 'Exit codes: 0 published or unchanged, 2 usage, 4 unreadable or nothing placed, 1 other errors',
  async run(context, { table, from = null, dryRun = false, json }) {
    const { config, log } = context;
    if (from !== null && !isDay(from)) throw new AppError('usage', `--from ${from} is not a calendar day YYYY-MM-DD`);
    const { backfillPricing } = await import('../../../pipeline/backfill/backfill.ts');
    const store = await openConfiguredStore(config, 'write');
    const details = { table: resolve(table), from };
    if (!dryRun) await recordStoreAction(context, { action: 'store.backfill_pricing', store: store.url, details });
    const progress = context.showProgress({ total: 1 });
    progress.next('backfill');
    const upkeep = await openUpkeep(context);
    const deps = { ...upkeep, store, limits: config.source, onStage: progress.part };
    const result = await backfillPricing({ table: resolve(table), from, dryRun }, deps).finally(progress.stop);
    context.printResult(result, () => describe(context, result));
    for (const warning of json ? [] : result.warnings) log(warning);
    return EXIT_CODES[result.status];
  },
});

export const backfill = commandGroup('backfill', 'Reconstruct history of the days before the first night', [pricing]);

function describe({ paint }: CommandContext, result: BackfillResult): string {
  const { rows, rows_placed, intervals, models, first_day, last_day, not_placed, replaced, issues } = result;
  const days = first_day === null ? '' : `, ${first_day} to ${last_day}`;
  const reasons = Object.entries(not_placed).map(([reason, count]) => `${count} ${reason}`);
  return [
    `${headline(paint, result)}: ${intervals} intervals of ${models} models${days}`,
    `${rows_placed} of ${rows} rows placed${reasons.length === 0 ? '' : `; not placed: ${reasons.join(', ')}`}`,
    ...(replaced === null ? [] : [`it replaces ${replaced}, which prune will remove`]),
    ...(reasons.length === 0 ? [] : [`details: ${issues}`]),
  ].join('\n');
}

function headline(paint: CommandContext['paint'], { status }: BackfillResult): string {
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
