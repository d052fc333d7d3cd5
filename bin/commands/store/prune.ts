import Table from 'cli-table3';
import type { UpkeepEnd } from '../../../pipeline/run/run.ts';
import type { Suspicious } from '../../../pipeline/upkeep/orphans.ts';
import { type PruneResult, prune } from '../../../pipeline/upkeep/prune.ts';
import type { Removal } from '../../../pipeline/upkeep/stored-objects.ts';
import type { Retention } from '../../../schemas/retention.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { paint } from '../../cli/paint.ts';
import { type Progress, showProgress } from '../../cli/progress.ts';
import { noteStoreAction } from '../../config/accounts/configured-accounts.ts';
import type { Config } from '../../config/config.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import { openUpkeep } from './open-upkeep.ts';

export interface PruneOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `modelstats prune [--dry-run]`: removes what retention doesn't keep; exit code 1 where a release is suspicious. */
export async function pruneStore(context: CommandContext, options: PruneOptions): Promise<number> {
  const { config, print, log } = context;
  let progress: Progress | undefined;
  const store = await openConfiguredStore(config, options.dryRun ? 'read' : 'write');
  if (!options.dryRun) await noteStoreAction(context, { action: 'store.prune', store: store.url, details: {} });
  const result = await prune(
    { dryRun: options.dryRun ?? false },
    {
      ...(await openUpkeep(context)),
      store,
      retention: retentionFromConfig(config),
      onPlan: (total) => {
        progress = showProgress(context, { total });
      },
      onRemoval: ({ name, what }) => progress?.next(`${name} ${what}`),
    },
  ).finally(() => progress?.stop());
  print(options.json ? JSON.stringify(jsonFrom(result)) : describe(result));
  for (const { name, reason } of result.suspicious) log(`${paint.red('suspicious')} ${name}: ${reason}`);
  return result.suspicious.length === 0 ? 0 : 1;
}

function retentionFromConfig(config: Config): Retention {
  return {
    changesMonths: config.RETENTION_CHANGES_MONTHS,
    snapshots: config.RETENTION_SNAPSHOTS,
    states: config.RETENTION_STATES,
  };
}

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

/** The name says which release it is. */
function withoutRef({ name, reason }: Suspicious) {
  return { name, reason };
}

/** Without the keys of the objects: `name` and `what` say which they are. */
function rowFrom({ name, what, reason, keys, bytes }: Removal) {
  return { name, what, objects: keys.length, bytes, reason };
}

function totalOf(removals: readonly Removal[]) {
  return {
    objects: removals.reduce((sum, { keys }) => sum + keys.length, 0),
    bytes: removals.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function describe({ dry_run, removals, retained_from }: PruneResult): string {
  const feed = `the feed starts at ${retained_from ?? '(nothing)'}`;
  if (removals.length === 0) return `nothing to prune; ${feed}`;
  const { objects, bytes } = totalOf(removals);
  const summary = `${dry_run ? 'would remove' : 'removed'} ${objects} objects, ${bytes} bytes; ${feed}`;
  return dry_run ? `${tableOf(removals)}\n${summary}` : summary;
}

function tableOf(removals: readonly Removal[]): string {
  const table = new Table({
    head: ['name', 'what', 'objects', 'bytes', 'why'],
    style: { head: [], border: [] },
  });
  for (const removal of removals) table.push(Object.values(rowFrom(removal)));
  return table.toString();
}
