import type { UpkeepEnd } from '../../../pipeline/run/run.ts';
import type { PruneResult } from '../../../pipeline/upkeep/prune.ts';
import type { Removal, Suspicious } from '../../../pipeline/upkeep/stored-objects.ts';
import { type CommandContext, defineCommand, flag } from '../../cli/command.ts';
import type { Progress } from '../../cli/terminal.ts';
import { recordStoreAction } from '../../config/configured-accounts.ts';
import { openConfiguredStore, openUpkeep } from '../../config/configured-store.ts';

export const pruneStore = defineCommand({
  name: 'prune',
  description: 'Remove what is past its retention, and what unfinished nights left',
  options: { dryRun: flag('list what would be removed, and why; change nothing') },
  examples: ['modelstats prune --dry-run'],
  notes: 'Exit code 1 if the catalog lacks a published release, or a backfill is suspicious',
  async run(context, { dryRun = false }) {
    const { config, log, paint, showProgress } = context;
    const { prune } = await import('../../../pipeline/upkeep/prune.ts');
    let progress: Progress | undefined;
    const store = await openConfiguredStore(config, dryRun ? 'read' : 'write');
    if (!dryRun) await recordStoreAction(context, { action: 'store.prune', store: store.url, details: {} });
    const deps = {
      ...(await openUpkeep(context)),
      store,
      retention: config.retention,
      onPlan: (total: number) => {
        progress = showProgress({ total });
      },
      onRemoval: ({ name, what }: Removal) => progress?.next(`${name} ${what}`),
    };
    const result = await prune({ dryRun }, deps).finally(() => progress?.stop());
    context.printResult(jsonFrom(result), () => describe(context, result));
    for (const { name, reason } of result.suspicious) log(`${paint.red('suspicious')} ${name}: ${reason}`);
    return result.suspicious.length === 0 ? 0 : 1;
  },
});

function jsonFrom({ dry_run, removals, suspicious, retained_from, warnings, report }: PruneResult & UpkeepEnd) {
  const { objects, bytes } = totalOf(removals);
  return {
    dry_run,
    objects,
    bytes,
    retained_from,
    removals: removals.map(rowFrom),
    suspicious: suspicious.map(withoutRef),
    warnings,
    report,
  };
}

/** The name identifies the release. */
function withoutRef({ name, reason }: Suspicious) {
  return { name, reason };
}

/** Without keys: `name` and `what` identify the objects. */
function rowFrom({ name, what, reason, keys, bytes }: Removal) {
  return { name, what, objects: keys.length, bytes, reason };
}

function totalOf(removals: readonly Removal[]) {
  return {
    objects: removals.reduce((sum, { keys }) => sum + keys.length, 0),
    bytes: removals.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function describe(context: CommandContext, { dry_run, removals, retained_from }: PruneResult): string {
  const feed = `the feed starts at ${retained_from ?? '(nothing)'}`;
  if (removals.length === 0) return `nothing to prune; ${feed}`;
  const { objects, bytes } = totalOf(removals);
  const summary = `${dry_run ? 'would remove' : 'removed'} ${objects} objects, ${bytes} bytes; ${feed}`;
  if (!dry_run) return summary;
  const rows = removals.map((removal) => Object.values(rowFrom(removal)));
  return `${context.tableText(['name', 'what', 'objects', 'bytes', 'why'], rows)}\n${summary}`;
}
