import { type RepublishResult, republish } from '../../../pipeline/upkeep/republish/republish.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { paint } from '../../cli/paint.ts';
import { showProgress } from '../../cli/progress.ts';
import { noteStoreAction } from '../../config/accounts/configured-accounts.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import { openUpkeep } from './open-upkeep.ts';

export interface RepublishOptions {
  readonly snapshot: string;
  readonly to?: string;
  readonly from?: string;
  readonly json?: boolean;
}

/** `modelstats republish SNAPSHOT [--to STORE | --from STORE]`; exit code 1 where a file can't be had or the copy isn't listed. */
export async function republishSnapshot(context: CommandContext, options: RepublishOptions): Promise<number> {
  const { config, print } = context;
  if (options.to !== undefined && options.from !== undefined) {
    throw new AppError('usage', '--to and --from exclude each other');
  }
  const origin = await openConfiguredStore(config, options.to === undefined ? 'write' : 'read');
  const second = options.to === undefined ? undefined : await openConfiguredStore(config, 'write', { url: options.to });
  const from =
    options.from === undefined ? undefined : await openConfiguredStore(config, 'read', { url: options.from });
  const details = { snapshot: options.snapshot, from: from?.url ?? null, origin: origin.url };
  await noteStoreAction(context, { action: 'store.republish', store: (second ?? origin).url, details });
  const progress = showProgress(context, { total: 1 });
  progress.next(options.snapshot);
  const result = await republish(options.snapshot, {
    ...(await openUpkeep(context)),
    origin,
    second,
    from,
    onFile: progress.part,
  }).finally(progress.stop);
  print(options.json ? JSON.stringify(result) : describe(result));
  return result.ok && result.listed ? 0 : 1;
}

function describe({ release, store, files, not_listed_because }: RepublishResult): string {
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
