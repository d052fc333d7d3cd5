import pc from 'picocolors';
import { verify } from '../../../pipeline/upkeep/verify/verify.ts';
import { AppError } from '../../../schemas/errors.ts';
import { getEntry, newestEntry } from '../../../storage/catalog.ts';
import { loadCatalogToContinue } from '../../../storage/continue-catalog.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { showProgress } from '../../cli/progress.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import { openUpkeep } from './open-upkeep.ts';

export interface VerifyOptions {
  readonly snapshot?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** `modelstats verify [SNAPSHOT] [--all]`: proves snapshots by hash and replay; exit code 1 where anything is wrong. */
export async function verifyStore(context: CommandContext, options: VerifyOptions): Promise<number> {
  if (options.all && options.snapshot !== undefined) throw new AppError('usage', 'name a snapshot or --all, not both');
  const { config, print } = context;
  const store = await openConfiguredStore(config, 'read');
  const { catalog } = await loadCatalogToContinue(store, options.all ? 'all' : 'newest');
  const releases = catalog?.releases ?? [];
  const day = options.snapshot === undefined ? newestEntry(catalog)?.day : getEntry(catalog, options.snapshot).day;
  if (day === undefined) throw new AppError('not_found', `${store.url} holds no snapshots`);
  const progress = showProgress(context, { total: options.all ? releases.length : 1 });
  const deps = { ...(await openUpkeep(context)), store, onSnapshot: progress.next };
  const days = options.all ? 'all' : [day];
  const result = await verify({ catalog, days }, deps).finally(progress.stop);
  if (options.json) print(JSON.stringify(result));
  else {
    for (const { snapshot, message } of result.problems) print(`${pc.red('wrong')} ${snapshot}: ${message}`);
    const counts = `${result.snapshots} snapshots, ${result.replayed} proven by replay from the one before`;
    print(`${result.ok ? pc.green('ok') : pc.red(`${result.problems.length} problems`)}: ${counts}`);
  }
  return result.ok ? 0 : 1;
}
