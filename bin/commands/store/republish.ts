import type { RepublishResult } from '../../../pipeline/upkeep/republish/republish.ts';
import { AppError } from '../../../runtime/errors.ts';
import { argument, type CommandContext, defineCommand, option } from '../../cli/command.ts';
import { textValue } from '../../cli/option-values.ts';
import { recordStoreAction } from '../../config/configured-accounts.ts';
import { openConfiguredStore, openUpkeep } from '../../config/configured-store.ts';

export const republishSnapshot = defineCommand({
  name: 'republish',
  description: "Restore a snapshot's lost or damaged files, from other files or a second store; or copy it to one",
  arguments: { snapshot: argument('day of the snapshot') },
  options: {
    to: option('<store>', 'a second store to copy it to, or to repair from this one'),
    from: option('<store>', 'a second store that may have the lost or damaged files', textValue),
  },
  examples: [
    'modelstats republish 2026-11-20',
    'modelstats republish 2026-11-20 --from s3://mirror/modelstats',
    'modelstats republish 2026-11-20 --to file:/mnt/mirror',
  ],
  notes: 'Exit code 1 if a file could not be restored, or the copy is not listed in the second store',
  async run(context, { snapshot, to, from: fromUrl }) {
    const { config, showProgress } = context;
    if (to !== undefined && fromUrl !== undefined) throw new AppError('usage', '--to and --from exclude each other');
    const { republish } = await import('../../../pipeline/upkeep/republish/republish.ts');
    const origin = await openConfiguredStore(config, to === undefined ? 'write' : 'read');
    const second = to === undefined ? undefined : await openConfiguredStore(config, 'write', { url: to });
    const from = fromUrl === undefined ? undefined : await openConfiguredStore(config, 'read', { url: fromUrl });
    const details = { snapshot, from: from?.url ?? null, origin: origin.url };
    await recordStoreAction(context, { action: 'store.republish', store: (second ?? origin).url, details });
    const progress = showProgress({ total: 1 });
    progress.next(snapshot);
    const deps = { ...(await openUpkeep(context)), origin, second, from, onFile: progress.part };
    const result = await republish(snapshot, deps).finally(progress.stop);
    context.printResult(result, () => describe(context, result));
    return result.ok && result.listed ? 0 : 1;
  },
});

function describe({ paint }: CommandContext, { release, store, files, not_listed_because }: RepublishResult): string {
  const painters = { ok: paint.dim, restored: paint.green, rebuilt: paint.green, refused: paint.red } as const;
  const lines = files.map(({ path, status, reason }) =>
    [painters[status](status.padEnd('restored'.length)), path, reason ?? ''].join('  ').trimEnd(),
  );
  const listed = not_listed_because === null ? '' : `\n${paint.yellow('not listed')}: ${not_listed_because}`;
  return `${lines.join('\n')}\n${release} in ${store}: ${countsOf(files)}${listed}`;
}

function countsOf(files: RepublishResult['files']): string {
  const statuses = ['ok', 'restored', 'rebuilt', 'refused'] as const;
  const counts = statuses.map((status) => ({ status, count: files.filter((file) => file.status === status).length }));
  return counts.flatMap(({ status, count }) => (count === 0 ? [] : [`${count} ${status}`])).join(', ');
}
